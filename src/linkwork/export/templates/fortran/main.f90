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

@if !happens
   !> whether the values of events change their sign in a direction that counts
   function crossed(before, after) result(found)
      real(dp), intent(in) :: before(:), after(:)
      logical :: found(event_count)
      found = (before < 0.0_dp .and. after >= 0.0_dp .and. event_directions /= -1) &
         .or. (before > 0.0_dp .and. after <= 0.0_dp .and. event_directions /= 1)
   end function crossed

   !> the first event whose value changes its sign, or 0
   integer function find_change(before, after) result(found)
      real(dp), intent(in) :: before(:), after(:)
      found = findloc(crossed(before, after), .true., 1)
   end function find_change

   !> tell all that happens at a time, and do it; then what that sets off
   subroutine happen(t, before, y, ended)
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: before(:), y(:)
      logical, intent(out) :: ended
      real(dp) :: after(event_count)
      logical :: found(event_count)
      integer :: k
@if acts
      real(dp) :: a(act_count)
      integer :: round
@end
      call events(m, t, y, after)
      found = crossed(before, after)
@if acts
      do round = 1, 100
         call acts(m, t, y, a)
@end
         do k = 1, event_count
            if (.not. found(k)) cycle
            if (event_directions(k) /= 2) write (error_unit, '(a,g0,2a)') "t = ", t, ": ", trim(event_names(k))
@if acts
            call act(m, k, a, y)
@end
         end do
         ended = any(found .and. event_stops)
@if acts
         if (ended .or. .not. any(found)) return
         before = after
         call events(m, t, y, after)
         ! what is on the border is not across it
         found = (before < 0.0_dp .and. after >= 0.0_dp .and. event_directions /= -1 .and. &
            before < -1.0e-9_dp*abs(after)) .or. (after < 0.0_dp .and. before >= 0.0_dp .and. &
            event_directions /= 1 .and. after < -1.0e-9_dp*abs(before))
      end do
      call fail("events set off each other without end")
@end
   end subroutine happen

@end
   !> shorten a step so that it ends right behind the first change of sign in it, and say which event that is
   subroutine locate(t, h, y, k1, before, next, found)
      real(dp), intent(in) :: t, y(:), k1(:), before(:)
      real(dp), intent(inout) :: h, next(:)
      integer, intent(out) :: found
      real(dp) :: after(@seen@), early, late, middle, error
      integer :: earlier
@if happens
      logical :: clear
@end
      call @watch@(m, t + h, next, after)
@if happens
      found = find_change(before, after, .true.)
      clear = .not. (found > event_count .and. found <= event_count + barrier_count)
@end
@if !happens
      found = find_change(before, after)
@end
      if (found == 0) return
      early = 0.0_dp
      late = h
      do while (late - early > 1.0e-15_dp*(abs(t) + h))
         middle = 0.5_dp*(early + late)
         if (middle <= early .or. middle >= late) exit
         call attempt(t, middle, y, k1, next, error)
         call @watch@(m, t + middle, next, after)
@if happens
         earlier = find_change(before, after, clear)
@end
@if !happens
         earlier = find_change(before, after)
@end
         if (earlier == 0) then
            early = middle
         else
            late = middle
            found = earlier
         end if
      end do
      h = late
      call attempt(t, h, y, k1, next, error)
   end subroutine locate

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
      if (step > 0.0_dp) then
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
      integer :: event
@if events
      real(dp) :: before(@seen@)
@end
@if happens
      integer :: status
@end
      do while (t < until .and. .not. ended)
         limit = until
@if controllers
         call sample(t, y, limit)
         limit = min(until, limit)
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
         event = 0
@if events
         call @watch@(m, t, y, before)
         call locate(t, h, y, k1, before, next, event)
@end
         t = merge(limit, t + h, last .and. event == 0)
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
@if happens
         status = 0
         if (event > 0) call happen_modes(m, t, before, y, status)
         if (status < 0) call fail(words(status))
         ended = status == 1
@end
@if !happens
         if (event > 0) call happen(t, before, y, ended)
@end
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
