!> @title@: the motion as a table.
!>
!>    ./@name@ [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv
!>
!> Steps of Dormand and Prince, order 5, as long as their errors allow; with --step the classical ones of order 4, all
!> equally long.@closing@
program main
   use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit
   use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
   use @name@
@if happens
   use @name@_modes
@end
   implicit none

   real(dp), parameter :: t0 = @t0@, most_rows = 1.0e9_dp, most_steps = 1.0e9_dp
   type(model) :: m
   real(dp) :: t, until, step, y(states), end_time = @tend@, tolerance = 1.0e-12_dp, fixed_step = 0.0_dp
   integer :: samples = 100, i
   logical :: ended, fits
@if events
   real(dp), parameter :: soon_share = 1.0e-8_dp    ! of a time: when one looks which way things go
   real(dp), parameter :: rounding = 1.0e-14_dp     ! of the size: what is not known of a state or a time
   real(dp), parameter :: nought = 1.0e-3_dp        ! of what a value soon is: what is rounding of zero
   real(dp), parameter :: tiny_value = 1.0e-300_dp  ! a value that is zero, on a known side
   real(dp) :: seen(@seen@) ! values of events as they count
@if reacts
   real(dp), parameter :: instant_share = 1.0e-13_dp ! of a time: what happens so close together happens at once
   real(dp), parameter :: endless = 1.0e-6_dp ! of a time: pauses so short that have always shrunk lead nowhere
   real(dp), parameter :: remainder = 1.0e-9_dp ! of a time: all pauses that are left, where they shrink fast
   real(dp) :: beat(4, event_count) = 0.0_dp ! when events acted, and after which pauses
@end
@end

   call read_arguments()
   call init(m, fits)
   if (.not. fits) call fail("a value is negative, or next to nothing, or no longer zero: the equations are others then")
   t = t0
   y = start
@if corrects
   call close_constraints(t, y)
@end
@if settled
   call settle(m, t, y)
@end
@if happens
   call begin_modes(m, t, y, tolerance, i)
   if (i < 0) call fail(words(i))
@end
@if controllers
   call sample(t, y, until)
@end
@if events
   call find_sides(t, y, spread(.false., 1, event_count))
@end
   call write_head()
   call write_row(t, y)
   step = merge(fixed_step, 1.0e-6_dp*(end_time - t), fixed_step > 0.0_dp)
   ended = .false.
   do i = 1, samples
      until = t0 + i*((end_time - t0)/samples)
      if (i == samples) until = end_time
      call advance(t, until, y, step, ended)
      call write_row(t, y)
      if (ended) exit
   end do

contains

   subroutine fail(what)
      character(len=*), intent(in) :: what
      write (error_unit, '(a)') "@name@: "//what
      error stop
   end subroutine fail

   ! -- settings ------------------------------------------------------------------------------------------------------

   !> what a text says, if it is a finite number and nothing else: `read` would take the 1 of 1,5 and the 0.7 of 0.7 m
   subroutine take_number(text, value, is_number)
      character(len=*), intent(in) :: text
      real(dp), intent(out) :: value
      logical, intent(out) :: is_number
      integer :: status, k
      value = 0.0_dp
      is_number = verify(text, "0123456789+-.eE") == 0
      do k = 2, len(text)
         if (scan(text(k:k), "+-") > 0 .and. scan(text(k - 1:k - 1), "eE") == 0) is_number = .false.
      end do
      if (.not. is_number) return
      read (text, *, iostat=status) value
      is_number = status == 0 .and. ieee_is_finite(value)
   end subroutine take_number

@if parameters
   subroutine fail_in(path, row, what)
      character(len=*), intent(in) :: path, what
      integer, intent(in) :: row
      character(len=12) :: place
      write (place, '(i0)') row
      call fail(trim(path)//":"//trim(place)//": "//what)
   end subroutine fail_in

   !> give the value of a NAME = VALUE to the parameter of that name
   subroutine read_parameter(line, path, row)
      character(len=*), intent(in) :: line, path
      integer, intent(in) :: row
      logical :: known, is_number
      real(dp) :: value
      integer :: sign
      sign = index(line, "=")
      if (sign == 0) call fail_in(path, row, "no NAME = VALUE: "//line)
      call take_number(trim(adjustl(line(sign + 1:))), value, is_number)
      call set_parameter(m, trim(line(:sign - 1)), value, known)
      if (.not. known) call fail_in(path, row, "no parameter named "//trim(line(:sign - 1)))
      if (.not. is_number) call fail_in(path, row, "no number: "//line)
   end subroutine read_parameter

   !> one NAME = VALUE on each line; # begins a remark
   subroutine read_parameters(path)
      character(len=*), intent(in) :: path
      character(len=1024) :: line
      integer :: unit, status, row, k
      logical :: is_folder
      ! a folder would be read as an empty file
      inquire (file=trim(path)//"/.", exist=is_folder)
      open (newunit=unit, file=path, status="old", action="read", iostat=status)
      if (status /= 0 .or. is_folder) call fail("cannot read "//trim(path))
      row = 0
      do
         read (unit, '(a)', iostat=status) line
         if (is_iostat_end(status)) exit
         if (status /= 0) call fail("cannot read "//trim(path))
         row = row + 1
         if (index(line, achar(0)) > 0) call fail_in(path, row, "a zero byte: this is no text in UTF-8")
         ! a mark of the order of bytes is no part of the text
         if (row == 1 .and. line(:3) == char(239)//char(187)//char(191)) line = line(4:)
         if (index(line, "#") > 0) line = line(:index(line, "#") - 1)
         if (len_trim(line) == len(line)) call fail_in(path, row, "the line is too long")
         ! tabs, and ends of lines of other systems, are blanks
         do k = 1, len(line)
            if (line(k:k) == achar(9) .or. line(k:k) == achar(13)) line(k:k) = " "
         end do
         if (len_trim(line) > 0) call read_parameter(trim(adjustl(line)), path, row)
      end do
      close (unit)
   end subroutine read_parameters

@end
   !> a number above another, which is called `least`
   real(dp) function read_number(key, text, above, least) result(value)
      character(len=*), intent(in) :: key, text, least
      real(dp), intent(in) :: above
      logical :: is_number
      call take_number(trim(adjustl(text)), value, is_number)
      if (.not. (is_number .and. value > above)) &
         call fail(trim(key)//" takes a number above "//least//", not "//trim(text))
   end function read_number

   real(dp) function read_tolerance(key, text) result(value)
      character(len=*), intent(in) :: key, text
      logical :: is_number
      call take_number(trim(adjustl(text)), value, is_number)
      if (.not. (is_number .and. value >= @least_tolerance@_dp .and. value <= @most_tolerance@_dp)) &
         call fail(trim(key)//" takes a number from @least_tolerance@ to @most_tolerance@, not "//trim(text))
   end function read_tolerance

   integer function read_whole(key, text) result(found)
      character(len=*), intent(in) :: key, text
      real(dp) :: value
      logical :: is_number
      call take_number(trim(adjustl(text)), value, is_number)
      if (.not. (is_number .and. value >= 1.0_dp .and. value <= most_rows .and. value <= aint(value))) &
         call fail(trim(key)//" takes a whole number from 1 to 1000000000, not "//trim(text))
      found = nint(value)
   end function read_whole

   subroutine read_arguments()
      character(len=1024) :: key, text
      integer :: k, status
      k = 1
      do while (k <= command_argument_count())
         call get_command_argument(k, key, status=status)
         if (status /= 0) call fail("too long: "//key)
         if (key == "--help" .or. key == "-h") then
@usage@
            stop
         end if
         if (key(:2) /= "--") then
@if parameters
            call read_parameters(key)
@end
@if !parameters
            call fail("there are no parameters to read from "//trim(key))
@end
            k = k + 1
            cycle
         end if
         if (k == command_argument_count()) call fail("a number is missing after "//trim(key))
         call get_command_argument(k + 1, text, status=status)
         if (status /= 0) call fail("too long: "//text)
         select case (key)
         case ("--end")
            end_time = read_number(key, text, t0, "the start")
         case ("--samples")
            samples = read_whole(key, text)
         case ("--tolerance")
            tolerance = read_tolerance(key, text)
         case ("--step")
            fixed_step = read_number(key, text, 0.0_dp, "0")
         case default
            call fail("not known: "//trim(key))
         end select
         k = k + 2
      end do
      if (.not. end_time > t0) call fail("the motion begins later than it ends: give a later --end")
      if (fixed_step > 0.0_dp .and. end_time - t0 > most_steps*fixed_step) &
         call fail("--step is too small: these would be more than 1000000000 steps")
   end subroutine read_arguments

   ! -- steps ---------------------------------------------------------------------------------------------------------

   function rates(t, y) result(dy)
      real(dp), intent(in) :: t, y(:)
      real(dp) :: dy(states), lambda(multipliers)
      call rhs(m, t, y, dy, lambda)
   end function rates

@if corrects
   !> close the constraints by Newton's method: what is left is of the order of the square of the last correction
   subroutine close_constraints(t, y)
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: y(:)
      real(dp) :: change(states), enough
      integer :: k
      enough = 1.0e-9_dp*(1.0_dp + maxval(abs(y)/sizes))
      do k = 1, 50
         call correct(m, t, y, change)
         y = y + change
         if (maxval(abs(change)/sizes) <= enough) return
      end do
      call fail("the constraints cannot be closed")
   end subroutine close_constraints

@end
   !> y at t + h by the method of Dormand and Prince; the estimated error, 1 being as large as allowed
   subroutine try_step(t, h, y, k1, next, error)
      real(dp), intent(in) :: t, h, y(:), k1(:)
      real(dp), intent(out) :: next(:), error
      real(dp), parameter :: c(7) = [0.0_dp, 1.0_dp/5, 3.0_dp/10, 4.0_dp/5, 8.0_dp/9, 1.0_dp, 1.0_dp]
      real(dp), parameter :: a(6, 7) = reshape([real(dp) :: 0, 0, 0, 0, 0, 0, &
         1.0_dp/5, 0, 0, 0, 0, 0, &
         3.0_dp/40, 9.0_dp/40, 0, 0, 0, 0, &
         44.0_dp/45, -56.0_dp/15, 32.0_dp/9, 0, 0, 0, &
         19372.0_dp/6561, -25360.0_dp/2187, 64448.0_dp/6561, -212.0_dp/729, 0, 0, &
         9017.0_dp/3168, -355.0_dp/33, 46732.0_dp/5247, 49.0_dp/176, -5103.0_dp/18656, 0, &
         35.0_dp/384, 0, 500.0_dp/1113, 125.0_dp/192, -2187.0_dp/6784, 11.0_dp/84], [6, 7])
      real(dp), parameter :: e(7) = [71.0_dp/57600, 0.0_dp, -71.0_dp/16695, 71.0_dp/1920, -17253.0_dp/339200, &
         22.0_dp/525, -1.0_dp/40]
      real(dp) :: k(states, 7), errors(states)
      integer :: stage, j
      k(:, 1) = k1
      do stage = 2, 7
         next = 0.0_dp
         do j = 1, stage - 1
            next = next + a(j, stage)*k(:, j)
         end do
         next = y + h*next
         k(:, stage) = rates(t + c(stage)*h, next)
      end do
      errors = 0.0_dp
      do j = 1, 7
         errors = errors + e(j)*k(:, j)
      end do
      if (all(ieee_is_finite(next)) .and. all(ieee_is_finite(errors))) then
         error = maxval(abs(h*errors)/(tolerance*(sizes + abs(y))))
      else
         error = huge(1.0_dp)
      end if
   end subroutine try_step

   !> the classical method of order 4; its error is not looked at
   subroutine try_classical(t, h, y, k1, next)
      real(dp), intent(in) :: t, h, y(:), k1(:)
      real(dp), intent(out) :: next(:)
      real(dp) :: k2(states), k3(states), k4(states)
      k2 = rates(t + 0.5_dp*h, y + 0.5_dp*h*k1)
      k3 = rates(t + 0.5_dp*h, y + 0.5_dp*h*k2)
      k4 = rates(t + h, y + h*k3)
      next = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
   end subroutine try_classical

   subroutine attempt(t, h, y, k1, next, error)
      real(dp), intent(in) :: t, h, y(:), k1(:)
      real(dp), intent(out) :: next(:), error
      if (fixed_step > 0.0_dp) then
         call try_classical(t, h, y, k1, next)
         error = 0.0_dp
      else
         call try_step(t, h, y, k1, next, error)
      end if
   end subroutine attempt

@if events
   ! -- events --------------------------------------------------------------------------------------------------------
   !
   ! An event has a side: the sign that its value had when that was last clear of rounding. It happens where its value
   ! comes to be clear on the other side, at the place where the sign has changed. After events have acted a value that
   ! is zero but for rounding is on the side where it goes.

@if reacts
   !> what a negative status means
   function words(status) result(text)
      integer, intent(in) :: status
      character(len=:), allocatable :: text
      select case (status)
@trouble@
      end select
   end function words

@end
   subroutine tell(t, what)
      real(dp), intent(in) :: t
      integer, intent(in) :: what
      if (event_directions(what) /= 2) write (error_unit, '(a,g0,2a)') "t = ", t, ": ", trim(event_names(what))
   end subroutine tell

   !> a share of a time
   pure real(dp) function find_span(share, t)
      real(dp), intent(in) :: share, t
      find_span = share*max(abs(t), 1.0e-3_dp)
   end function find_span

   !> a value that is zero, on the side of another
   elemental real(dp) function faint(side)
      real(dp), intent(in) :: side
      faint = merge(tiny_value, merge(-tiny_value, 0.0_dp, side < 0.0_dp), side > 0.0_dp)
   end function faint

   !> what happens from some values to others; what counts where it is negative is stops and friction. Pulls of stops
   !> must be clear if `clear`
   function find_changes(before, after, clear) result(found)
      real(dp), intent(in) :: before(:), after(:)
      logical, intent(in) :: clear
      logical :: found(@seen@), up, down
      integer :: i
      found = after < 0.0_dp
      do i = 1, event_count
         if (event_kinds(i) > 1) cycle
         up = before(i) < 0.0_dp .and. after(i) >= 0.0_dp
         down = before(i) > 0.0_dp .and. after(i) < 0.0_dp
         found(i) = (up .and. event_directions(i) /= -1) .or. (down .and. event_directions(i) /= 1)
      end do
@if barriers
      do i = event_count + 1, event_count + barrier_count
         if (clear .and. .not. after(i) < -1.0e-9_dp*max(before(i), 0.0_dp)) found(i) = .false.
      end do
@end
      associate (unused => clear); end associate
   end function find_changes

   !> what values of events change by if the time and the state are wrong by rounding
   subroutine find_noise(t, y, s, noise)
      real(dp), intent(in) :: t, y(:), s(:)
      real(dp), intent(out) :: noise(:)
      real(dp) :: other(event_count), shaken(states)
      integer :: j
      call events(m, t + find_span(rounding, t), y, other)
      noise = abs(other - s)
      do j = 1, states
         shaken = y
         shaken(j) = shaken(j) + rounding*(sizes(j) + abs(y(j)))
         call events(m, t, shaken, other)
         noise = noise + abs(other - s)
      end do
   end subroutine find_noise

   !> values as they count: what is zero but for rounding is on the side where it was
   subroutine judge(t, y, s)
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: s(:)
      real(dp) :: noise(event_count)
      integer :: i
      logical :: doubtful
      call @watch@(m, t, y, s)
      doubtful = .false.
      do i = 1, event_count
         doubtful = doubtful .or. (event_kinds(i) < 2 .and. .not. s(i)*sign(1.0_dp, seen(i)) > 0.0_dp) .or. &
            .not. abs(seen(i)) > 0.0_dp
      end do
      if (.not. doubtful) return
      call find_noise(t, y, s(:event_count), noise)
      do i = 1, event_count
         if (event_kinds(i) < 2 .and. abs(s(i)) <= noise(i)) s(i) = faint(seen(i))
      end do
   end subroutine judge

   !> events are on the sides where they are now
   subroutine follow(t, y)
      real(dp), intent(in) :: t, y(:)
      real(dp) :: s(@seen@)
      call judge(t, y, s)
      seen = s
   end subroutine follow

@if controllers
   !> events that happen because something else was set
   subroutine find_jumps(t, y, found)
      real(dp), intent(in) :: t, y(:)
      logical, intent(out) :: found(:)
      real(dp) :: s(@seen@)
      call judge(t, y, s)
      found = find_changes(seen, s, .true.)
      found(:event_count) = found(:event_count) .and. event_kinds < 2
      found(event_count + 1:) = .false.
   end subroutine find_jumps

@end
   !> the state inside a step, by the cubic through its ends
   pure function between(y, k1, next, k2, h, x) result(found)
      real(dp), intent(in) :: y(:), k1(:), next(:), k2(:), h, x
      real(dp) :: found(states), p
      p = x/h
      found = (1.0_dp - p)*y + p*next &
         + p*(p - 1.0_dp)*((1.0_dp - 2.0_dp*p)*(next - y) + h*((p - 1.0_dp)*k1 + p*k2))
   end function between

   !> where the parabola through three values, at -1, 0 and 1, turns next to zero or beyond it; 2: it does not
   pure real(dp) function find_turn(a, b, c)
      real(dp), intent(in) :: a, b, c
      real(dp) :: size, bend, slope, least
      find_turn = 2.0_dp
      size = max(abs(a), abs(b), abs(c))
      bend = a - 2.0_dp*b + c
      slope = 0.5_dp*(c - a)
      if (.not. (abs(bend) > 0.0_dp .and. abs(slope) <= abs(bend) .and. size > 2.0_dp*tiny_value)) return
      least = b - 0.5_dp*slope*slope/bend
      if (abs(least) <= 0.1_dp*size .or. ((least < 0.0_dp) .neqv. (b < 0.0_dp))) find_turn = -slope/bend
   end function find_turn

   !> the quarters of a step, and where values may turn back near zero, in order; how many, and which quarters they are
   subroutine find_places(h, values, places_now, quarters, count)
      real(dp), intent(in) :: h, values(:, 0:)
      real(dp), intent(out) :: places_now(:)
      integer, intent(out) :: quarters(:), count
      real(dp) :: turns(4 + 3*@seen@), x, last
      integer :: i, k, known
      do k = 1, 4
         turns(k) = 0.25_dp*h*k
      end do
      known = 4
      do k = 1, 3
         do i = 1, @seen@
            x = find_turn(values(i, k - 1), values(i, k), values(i, k + 1))
            if (.not. x < 1.5_dp) cycle
            known = known + 1
            turns(known) = 0.25_dp*h*(k + x)
         end do
      end do
      last = 0.0_dp
      count = 0
      do
         k = minloc(turns(:known), 1, turns(:known) > last .and. turns(:known) <= h)
         if (k == 0) exit
         last = turns(k)
         count = count + 1
         places_now(count) = last
         quarters(count) = merge(k, 0, k <= 4)
      end do
   end subroutine find_places

   !> the state after a step of some length
   subroutine arrive_at(t, h, y, k1, next)
      real(dp), intent(in) :: t, h, y(:), k1(:)
      real(dp), intent(out) :: next(:)
      real(dp) :: error
      call attempt(t, h, y, k1, next, error)
@if corrects
      call close_constraints(t + h, next)
@end
   end subroutine arrive_at

   !> what has happened at a place: only some of the events, but all stops and friction
   function find_first(some, after, clear) result(found)
      logical, intent(in) :: some(:), clear
      real(dp), intent(in) :: after(:)
      logical :: found(@seen@)
      found = find_changes(seen, after, clear)
      where (event_kinds < 2 .and. .not. some(:event_count)) found(:event_count) = .false.
   end function find_first

   !> events whose values are zero but for rounding at the end of a step, and soon on the other side
   subroutine find_arrivals(t, y, dy, found)
      real(dp), intent(in) :: t, y(:), dy(:)
      logical, intent(out) :: found(:)
      real(dp) :: now(event_count), soon(event_count), noise(event_count), later(@seen@)
      logical :: close_by(event_count), changed(@seen@)
      found = .false.
      close_by = event_kinds < 2 .and. abs(seen(:event_count)) > 0.0_dp .and. abs(seen(:event_count)) <= tiny_value
      if (.not. any(close_by)) return
      call events(m, t, y, now)
      call find_noise(t, y, now, noise)
      call events(m, t + find_span(soon_share, t), y + find_span(soon_share, t)*dy, soon)
      later = 1.0_dp
      later(:event_count) = soon
      changed = find_changes(seen, later, .true.)
      found(:event_count) = close_by .and. abs(soon) > noise .and. changed(:event_count)
   end subroutine find_arrivals

   !> go along a step until something happens; between which places, and what
   subroutine walk(t, h, y, k1, values, early, late, found)
      real(dp), intent(in) :: t, h, y(:), k1(:), values(:, 0:)
      real(dp), intent(out) :: early, late
      logical, intent(out) :: found(:)
      real(dp) :: places_now(4 + 3*@seen@), row(@seen@), tried(states)
      integer :: quarters(4 + 3*@seen@), count, j
      early = 0.0_dp
      late = h
      found = .false.
      call find_places(h, values, places_now, quarters, count)
      do j = 1, count
         late = places_now(j)
         row = seen
         if (quarters(j) > 0) then
            row = values(:, quarters(j))
            where (abs(row) <= tiny_value) row = faint(seen)
         end if
         found = find_changes(seen, row, .true.)
         ! the cubic only says where to look
         if (quarters(j) == 0 .or. (quarters(j) < 4 .and. any(found))) then
            call arrive_at(t, late, y, k1, tried)
            call judge(t + late, tried, row)
            found = find_changes(seen, row, .true.)
         end if
         if (any(found)) return
         seen = row
         early = late
      end do
   end subroutine walk

   !> shorten a step so that it ends where something first happens, and say what
   subroutine locate(t, h, y, k1, next, found)
      real(dp), intent(in) :: t, y(:), k1(:)
      real(dp), intent(inout) :: h, next(:)
      logical, intent(out) :: found(:)
      real(dp) :: k2(states), values(@seen@, 0:4), after(@seen@), early, late, middle
      logical :: some(@seen@), clear
      integer :: k
      k2 = rates(t + h, next)
      values(:, 0) = seen
      do k = 1, 3
         call judge(t + 0.25_dp*h*k, between(y, k1, next, k2, h, 0.25_dp*h*k), values(:, k))
      end do
      call judge(t + h, next, values(:, 4))
      call walk(t, h, y, k1, values, early, late, some)
      if (.not. any(some)) then
         call find_arrivals(t + h, next, k2, found)
         return
      end if
      ! what a stop would have to pull must be clear, unless this is what happens
      clear = .true.
@if barriers
      clear = .not. any(some(event_count + 1:event_count + barrier_count))
@end
      do while (late - early > 1.0e-15_dp*(abs(t) + h))
         middle = 0.5_dp*(early + late)
         if (middle <= early .or. middle >= late) exit
         call arrive_at(t, middle, y, k1, next)
         call @watch@(m, t + middle, next, after)
         if (any(find_first(some, after, clear))) then
            late = middle
         else
            early = middle
         end if
      end do
      h = late
      call arrive_at(t, h, y, k1, next)
      call @watch@(m, t + h, next, after)
      found = find_first(some, after, clear)
   end subroutine locate

   !> values with which a motion begins: what is zero but for rounding, if it has happened next to that too, is on the
   !> side where it goes
   subroutine find_sides(t, y, happened)
      real(dp), intent(in) :: t, y(:)
      logical, intent(in) :: happened(:)
      real(dp) :: dy(states), noise(event_count), before(event_count), soon(event_count), span
      integer :: i
      span = find_span(1.0e-7_dp, t)
      dy = rates(t, y)
      call @watch@(m, t, y, seen)
      call find_noise(t, y, seen(:event_count), noise)
      call events(m, t - span, y - span*dy, before)
      call events(m, t + span, y + span*dy, soon)
      do i = 1, event_count
         if (event_kinds(i) > 1) cycle
         if (abs(seen(i)) <= noise(i) .or. (happened(i) .and. abs(seen(i)) <= nought*abs(soon(i)))) &
            seen(i) = merge(faint(soon(i) - before(i)), 0.0_dp, abs(soon(i) - before(i)) > 0.03_dp*noise(i))
      end do
   end subroutine find_sides

   !> tell events; those of friction are told where it sticks and slips. Whether one ends the motion
   subroutine tell_events(t, now, ended)
      real(dp), intent(in) :: t
      logical, intent(in) :: now(:)
      logical, intent(out) :: ended
      integer :: i
      do i = 1, event_count
         if (now(i) .and. event_kinds(i) /= 3) call tell(t, i)
      end do
      ended = any(now .and. event_stops(:event_count))
   end subroutine tell_events

@if reacts
   !> whether events happen because their values have changed at once; what is on the border is not across it
   elemental logical function jumped(before, after, direction)
      real(dp), intent(in) :: before, after
      integer, intent(in) :: direction
      logical :: up, down
      up = before < 0.0_dp .and. after >= 0.0_dp .and. before < -1.0e-9_dp*abs(after)
      down = after < 0.0_dp .and. before >= 0.0_dp .and. after < -1.0e-9_dp*abs(before)
      jumped = (up .and. direction /= -1) .or. (down .and. direction /= 1)
   end function jumped

@if !happens
   !> what some events do at an instant, each as if it were alone: jumps of speeds are added
   subroutine react(t, y, now, status)
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: y(:)
      logical, intent(in) :: now(:)
      integer, intent(out) :: status
      real(dp) :: a(act_count), first(states), other(states)
      integer :: i, k
      call acts(m, t, y, a)
      first = y
      status = 0
      do i = 1, size(goal_event)
         do k = 1, i - 1
            if (now(goal_event(i)) .and. now(goal_event(k)) .and. goal_of(i) == goal_of(k) &
               .and. abs(a(i) - a(k)) > 0.0_dp) status = -4
         end do
      end do
      if (status < 0) return
      do i = 1, event_count
         if (.not. now(i)) cycle
         other = first
         call act(m, i, a, other)
         where (.not. abs(y - first) > 0.0_dp)
            y = other
         elsewhere (abs(other - first) > 0.0_dp .and. abs(other - y) > 0.0_dp)
            y = y + (other - first)
         end where
      end do
@if settled
      call settle(m, t, y)
@end
   end subroutine react

@end
   !> events that are next to the time at which another one acts happen with it; those that pass zero there where it
   !> does not count are beside it: 1 upwards, -1 downwards
   subroutine look_beside(t, y, now, beside)
      real(dp), intent(in) :: t, y(:)
      logical, intent(inout) :: now(:)
      integer, intent(out) :: beside(:)
      real(dp) :: dy(states), one(@seen@), two(@seen@), span
      span = find_span(instant_share, t)
      dy = rates(t, y)
      call @watch@(m, t - span, y - span*dy, one)
      call @watch@(m, t + span, y + span*dy, two)
      now = now .or. merge(two(:event_count) < 0.0_dp, &
         jumped(one(:event_count), two(:event_count), event_directions(:event_count)), event_kinds > 1)
      beside = 0
      where (one(:event_count) < 0.0_dp .and. two(:event_count) >= 0.0_dp) beside = 1
      where (two(:event_count) < 0.0_dp .and. one(:event_count) >= 0.0_dp) beside = -1
      where (event_kinds > 1 .or. event_directions(:event_count) /= -beside) beside = 0
   end subroutine look_beside

   !> what was beside and turns back at once counts
   subroutine find_turned(t, y, beside, now)
      real(dp), intent(in) :: t, y(:)
      integer, intent(inout) :: beside(:)
      logical, intent(out) :: now(:)
      real(dp) :: first(event_count), soon(event_count), span
      span = find_span(soon_share, t)
      call events(m, t, y, first)
      call events(m, t + span, y + span*rates(t, y), soon)
      now = beside /= 0 .and. ((soon < 0.0_dp) .eqv. (beside > 0)) .and. abs(first) <= nought*abs(soon)
      where (now) beside = 0
   end subroutine find_turned

   !> events that act after pauses that shrink by the same factor, until these are next to nothing, do so without end. Of
   !> each is kept when it acted last, after which pause, by which factor that was shorter, and a count: 1 with a time, 2
   !> with a pause, 3 with a factor, and one more for each time that this is the same. What stops strike comes to rest
   subroutine count_pauses(t, happened, status)
      real(dp), intent(in) :: t
      logical, intent(in) :: happened(:)
      integer, intent(out) :: status
      real(dp) :: pause, factor
      integer :: i
      logical :: shrunk
      status = 0
      if (any(happened .and. event_kinds == 2)) return
      do i = 1, event_count
         if (.not. happened(i) .or. event_kinds(i) /= 1) cycle
         pause = t - beat(1, i)
         factor = pause/max(beat(2, i), tiny_value)
         if (beat(4, i) < 3.0_dp .or. (factor < 1.0_dp .and. abs(factor - beat(3, i)) <= 0.1_dp*beat(3, i))) then
            beat(4, i) = beat(4, i) + 1.0_dp
         else
            beat(4, i) = 3.0_dp
         end if
         shrunk = beat(4, i) >= 3.0_dp .and. factor < 1.0_dp .and. pause <= find_span(nought, t)
         if (shrunk .and. beat(4, i) >= 5.0_dp .and. pause <= find_span(endless, t)) status = -12
         if (shrunk .and. beat(4, i) >= 4.0_dp .and. pause*factor <= (1.0_dp - factor)*find_span(remainder, t)) status = -12
         if (shrunk .and. .not. abs(seen(i)) > 0.0_dp) status = -12
         beat(:3, i) = [t, pause, factor]
      end do
   end subroutine count_pauses

   !> events that act, with all that is beside them and that they set off
   subroutine set_off(t, y, now, ended, status)
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: y(:)
      logical, intent(inout) :: now(:)
      logical, intent(out) :: ended
      integer, intent(out) :: status
      real(dp) :: first(event_count), last(event_count)
      logical :: happened(event_count)
      integer :: beside(event_count), round
@if happens
      type(instant_at) :: at
      at%t = t
@end
      call look_beside(t, y, now, beside)
@if happens
      call meet_held(m, t, y)
@end
      happened = .false.
      do round = 1, 100
         call events(m, t, y, first)
         call tell_events(t, now, ended)
@if happens
         call react(m, at, y, now, status)
@end
@if !happens
         call react(t, y, now, status)
@end
         if (status < 0 .or. ended) return
         call events(m, t, y, last)
         happened = happened .or. now
         now = event_kinds < 2 .and. jumped(first, last, event_directions(:event_count))
         if (.not. any(now)) call find_turned(t, y, beside, now)
         if (any(now)) cycle
         call find_sides(t, y, happened)
         call count_pauses(t, happened, status)
         return
      end do
      status = -3
   end subroutine set_off

@end
   !> tell all that was found to happen, and do it; then what that sets off
   subroutine happen(t, found, y, ended)
      real(dp), intent(in) :: t
      logical, intent(in) :: found(:)
      real(dp), intent(inout) :: y(:)
      logical, intent(out) :: ended
      logical :: now(event_count)
@if reacts
      integer :: status
@end
@if happens
      real(dp) :: after(@seen@)
      type(instant_at) :: at
@end
      now = found(:event_count)
@if happens
      call watch(m, t, y, after)
      now = now .or. (event_kinds > 1 .and. after(:event_count) < 0.0_dp)
@end
@if reacts
      if (any(now .and. event_kinds > 0)) then
         call set_off(t, y, now, ended, status)
         if (status < 0) call fail(words(status))
         return
      end if
@end
      call tell_events(t, now, ended)
      where (now) seen(:event_count) = faint(-seen(:event_count))
@if happens
      at%t = t
      status = 0
      if (.not. any(now)) call release(m, at, y, found, after, status)
      if (status < 0) call fail(words(status))
@end
      call follow(t, y)
      associate (unused => y); end associate
   end subroutine happen

@end
@if controllers
   ! -- sampled controllers -------------------------------------------------------------------------------------------

   !> instant k of a controller; a clock begins with its period and offset
   pure real(dp) function instant(clock, k)
      real(dp), intent(in) :: clock(:), k
      instant = clock(2) + k*clock(1)
   end function instant

   !> instants so close together are one
   pure logical function is_now(clock, when, t)
      real(dp), intent(in) :: clock(:), when, t
      is_now = abs(when - t) <= 1.0e-9_dp*clock(1)
   end function is_now

   elemental real(dp) function rounded(value, step)
      real(dp), intent(in) :: value, step
      rounded = value
      if (step > 0.0_dp .and. abs(value) < 4503599627370496.0_dp*step) then
         rounded = aint(value/step + 0.5_dp)
         if (rounded > value/step + 0.5_dp) rounded = rounded - 1.0_dp
         rounded = step*rounded
      end if
   end function rounded

   !> what arrives at a time: the answers of the last instants of controller i, each as late as is said
   subroutine arrive(i, clock, t, old, held)
      integer, intent(in) :: i
      real(dp), intent(in) :: clock(:), t, old(:)
      real(dp), intent(inout) :: held(:)
      integer :: targets, count, j, k, first
      targets = named_of(i) + memory_of(i)
      count = targets + targets_of(i) + 1
      k = nint(old(count))
      do j = max(0, k - slots_of(i)), k - 1
         if (.not. is_now(clock, instant(clock, j + delay_of(i)), t)) cycle
         first = count + modulo(j, slots_of(i))*targets_of(i)
         held(targets + 1:targets + targets_of(i)) = old(first + 1:first + targets_of(i))
      end do
   end subroutine arrive

   !> what controller i reads, answers and remembers at an instant; all is what controllers hold, held its own part
   subroutine ask(i, clock, t, y, all, held)
      integer, intent(in) :: i
      real(dp), intent(in) :: clock(:), t, y(:), all(:)
      real(dp), intent(inout) :: held(:)
      real(dp) :: dy(states), lambda(multipliers), read(@most@), set(@most@), now(held_count)
@if reads
      real(dp) :: reads_now(read_count)
@end
@if answers
      real(dp) :: answers_now(answer_count)
      integer :: first
@end
      type(model) :: asked
      integer :: targets, count, place
      targets = named_of(i) + memory_of(i)
      count = targets + targets_of(i) + 1
      place = targets
      if (slots_of(i) > 0) place = count + modulo(nint(held(count)), slots_of(i))*targets_of(i)
      set = 0.0_dp
      read = 0.0_dp
      call rhs(m, t, y, dy, lambda)
@if reads
      call reads(m, t, y, dy, lambda, reads_now)
      read(:reads_of(i)) = rounded(reads_now(first_read_of(i) + 1:first_read_of(i) + reads_of(i)), &
         clock(3:2 + reads_of(i)))
@end
      asked = m
      now = all
      now(first_held_of(i) + 1:first_held_of(i) + named_of(i)) = read(:named_of(i))
      call set_held(asked, now)
@if answers
      call answers(asked, t, y, dy, lambda, answers_now)
      first = first_answer_of(i)
      if (calls_of(i) == 0) then
         set(:targets_of(i)) = answers_now(first + 1:first + targets_of(i))
         first = first + targets_of(i)
      end if
      held(named_of(i) + 1:targets) = answers_now(first + 1:first + memory_of(i))
@end
@if asks
      if (calls_of(i) > 0) call ask_external(m, i, t, read(:reads_of(i)), set(:targets_of(i)))
@end
      held(place + 1:place + targets_of(i)) = &
         rounded(set(:targets_of(i)), clock(3 + reads_of(i):2 + reads_of(i) + targets_of(i)))
      held(:named_of(i)) = read(:named_of(i))
      held(count) = held(count) + 1.0_dp
   end subroutine ask

   !> what controllers do at a time, if anything; when they do something next
   subroutine sample(t, y, next)
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: next
      real(dp) :: clocks_now(clock_count), old(held_count), new(held_count), when
      integer :: i, j, k, count, c, h
      call clocks(m, t, clocks_now)
      call get_held(m, old)
      new = old
      next = huge(1.0_dp)
      do i = 1, controller_count
         c = first_clock_of(i) + 1
         h = first_held_of(i) + 1
         count = first_held_of(i) + named_of(i) + memory_of(i) + targets_of(i) + 1
         call arrive(i, clocks_now(c:), t, old(h:), new(h:))
         if (is_now(clocks_now(c:), instant(clocks_now(c:), old(count)), t)) &
            call ask(i, clocks_now(c:), t, y, old, new(h:))
         ! the next instant, or the next answer that arrives
         k = nint(new(count))
         do j = max(0, k - slots_of(i)), k
            when = instant(clocks_now(c:), merge(real(j, dp), j + delay_of(i), j == k))
            if (when > t .and. .not. is_now(clocks_now(c:), when, t)) next = min(next, when)
         end do
      end do
      call set_held(m, new)
   end subroutine sample

@end
   ! -- the motion ----------------------------------------------------------------------------------------------------

   !> go on to a time with steps of about this length, unless something ends the motion before
   subroutine advance(t, until, y, step, ended)
      real(dp), intent(inout) :: t, y(:), step
      real(dp), intent(in) :: until
      logical, intent(inout) :: ended
      real(dp) :: k1(states), next(states), h, whole, error
      real(dp) :: limit
      logical :: last
@if events
      logical :: found(@seen@)
@end
      do while (t < until .and. .not. ended)
         limit = until
@if controllers
         call sample(t, y, limit)
         limit = min(until, limit)
@end
@if controllers
@if events
         call find_jumps(t, y, found)
         if (any(found)) then
            call happen(t, found, y, ended)
            cycle
         end if
@end
@end
         last = limit - t <= step
         h = min(step, limit - t)
         whole = h
         k1 = rates(t, y)
         call attempt(t, h, y, k1, next, error)
         if (.not. error <= 1.0_dp) then
            step = h*max(0.1_dp, 0.9_dp*error**(-0.2_dp))
            if (t + step <= t) call fail("the step became too small")
            cycle
         end if
@if events
         call locate(t, h, y, k1, next, found)
         last = last .and. .not. h < whole .and. .not. any(found)
@end
         t = merge(limit, t + h, last)
         y = next
@if corrects
         call close_constraints(t, y)
@end
         if (fixed_step <= 0.0_dp .and. whole >= step) &
            step = whole*min(5.0_dp, 0.9_dp*max(error, 1.0e-10_dp)**(-0.2_dp))
@if settled
         call settle(m, t, y)
@end
@if events
         if (any(found)) then
            call happen(t, found, y, ended)
         else
            call follow(t, y)
         end if
@end
      end do
   end subroutine advance

   subroutine write_head()
      integer :: k
      write (*, '(*(a,:,","))', advance="no") "t", ('"'//trim(state_names(k))//'"', k=1, states)
@if multipliers
      write (*, '(*(:,",",a))', advance="no") ('"'//trim(multiplier_names(k))//'"', k=1, multipliers)
@end
@if outputs
      write (*, '(*(:,",",a))', advance="no") ('"'//trim(output_names(k))//'"', k=1, output_count)
@end
      write (*, '()')
   end subroutine write_head

   subroutine write_row(t, y)
      real(dp), intent(in) :: t, y(:)
      real(dp) :: dy(states), lambda(multipliers), out(output_count)
      call rhs(m, t, y, dy, lambda)
@if outputs
      call outputs(m, t, y, dy, lambda, out)
@end
@if !outputs
      out = 0.0_dp
@end
      write (*, '(*(es24.16e3,:,","))') t, y, lambda, out
   end subroutine write_row
end program main
