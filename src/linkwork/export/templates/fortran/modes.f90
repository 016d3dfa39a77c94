!> @title@: constraints that come and go. Where something happens speeds jump, constraints go on and off, stops are
!> struck, hold and let go, friction sticks and slips; between these instants nothing of this is needed.
module @name@_modes
   use, intrinsic :: iso_fortran_env, only: dp => real64, error_unit
   use @name@
   implicit none
   private
   public :: instant_at, begin_modes, watch, meet_held, react, release

   real(dp), parameter :: touch = 1.0e-8_dp    ! of its size: a gap that counts as closed at the start,
   real(dp), parameter :: near = 1.0e-12_dp    ! and on the way
   real(dp), parameter :: passed = 1.0e-6_dp   ! of its size: a gap that should not be there
   real(dp), parameter :: met = 1.0e-8_dp      ! of what speeds are made of: by how much wanted ones may be missed
   real(dp), parameter :: still_speed = 1.0e-11_dp ! of the speeds that make up a relative speed: what counts as none
   real(dp), parameter :: soft = 1.0e-12_dp    ! of what it is if everything moves: mobility of what nothing can move
   real(dp), parameter :: rest = 1.0e-14_dp    ! of the size: bounces lower than this are none
   real(dp), parameter :: slow_share = 1.0e-10_dp ! of the fastest it has been: friction that stands still
   real(dp), parameter :: rank = 1.0e-6_dp     ! of a row: what others leave of one that follows from them,
   real(dp), parameter :: dependent = 1.0e-9_dp ! and of one of friction

   !> an instant at which something happens: friction that has just stopped, the one that has just been overcome, or 0,
   !> and how it is pulled
   type :: instant_at
      real(dp) :: t
      logical :: halted(max(1, grip_count)) = .false.
      integer :: slipping = 0
      real(dp) :: pull(2) = 0.0_dp
   end type instant_at

contains

@if readings
   subroutine tell(t, what)
      real(dp), intent(in) :: t
      integer, intent(in) :: what
      if (event_directions(what) /= 2) write (error_unit, '(a,g0,2a)') "t = ", t, ": ", trim(event_names(what))
   end subroutine tell

@end
@if measures
   !> by how much a constraint changes if everything moves by its size
   pure real(dp) function measure(row)
      real(dp), intent(in) :: row(:)
      measure = max(norm2(row*sizes(places + 1:)), 1.0e-300_dp)
   end function measure

@end
   !> which constraints hold and are neither stops nor friction, unless these are wanted
   pure function find_some(m, stops, grips) result(keep)
      type(model), intent(in) :: m
      logical, intent(in) :: stops, grips
      logical :: keep(multipliers)
      keep = m%holds
@if barriers
      if (.not. stops) keep(barrier_row) = .false.
@end
@if grips
      if (.not. grips) keep(grip_first) = .false.
      if (.not. grips) keep(grip_last) = .false.
@end
      associate (unused => stops); end associate
      associate (unused => grips); end associate
   end function find_some

@if impulses
   !> by how much the rate of a row may be missed: a little of the speeds it is made of, and rounding of all speeds
   pure real(dp) function missed(row, u)
      real(dp), intent(in) :: row(:), u(:)
      missed = met*sum(abs(row*u)) + 1.0e-300_dp &
         + still_speed*maxval(abs(u)/sizes(places + 1:))*sum(abs(row)*sizes(places + 1:))
   end function missed

@if barriers
   !> what speeds of these sizes make along rows, at most
   pure function spread_sizes(rows, u) result(v)
      real(dp), intent(in) :: rows(:, :), u(:)
      real(dp) :: v(size(rows, 1))
      integer :: i
      do i = 1, size(rows, 1)
         v(i) = sum(abs(rows(i, :)*u))
      end do
   end function spread_sizes

@end
@end
@if grips
   !> whether friction sticks
   pure logical function is_stuck(m, grip)
      type(model), intent(in) :: m
      integer, intent(in) :: grip
      is_stuck = m%holds(grip_first(grip)) .or. m%holds(grip_last(grip))
   end function is_stuck

   !> the rows of friction: one or two
   pure function rows_of(grip) result(list)
      integer, intent(in) :: grip
      integer :: list(merge(1, 2, grip_first(grip) == grip_last(grip)))
      list(1) = grip_first(grip)
      list(size(list)) = grip_last(grip)
   end function rows_of

@end
   ! -- what is watched -------------------------------------------------------------------------------------------------

   !> values of events; of stops and friction those that become negative where they are struck, pull, stop and slip
   pure subroutine watch(m, t, y, s)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: s(:)
@if readings
      type(numbers) :: at
      real(dp) :: dy(states), lambda(multipliers), z(barrier_count + grip_count)
      integer :: i
@end
@if barriers
      integer :: row
@end
@if grips
      real(dp) :: ways(3, grip_count), length
@end
      s = 1.0_dp
      call events(m, t, y, s)
@if readings
      call look(m, t, y, at)
      call rhs(m, t, y, dy, lambda)
      call readings(m, t, y, z)
@end
@if barriers
      do i = 1, barrier_count
         row = barrier_row(i)
         s(barrier_watch(i)) = 1.0_dp
         if (m%holds(row)) s(event_count + i) = -lambda(row)
         if (.not. m%holds(row)) s(barrier_watch(i)) = watch_stop(at, i)
      end do
@end
@if grips
      call get_grips(m, ways)
      do i = 1, grip_count
         length = merge(norm2(ways(2:, i)), 1.0_dp, grip_first(i) /= grip_last(i))
         s(grip_watch(i)) = merge(ways(1, i)*s(grip_watch(i)) + rest*length*measure(at%rows(grip_first(i), :)), &
            1.0_dp, abs(ways(1, i)) > 0.0_dp)
         if (is_stuck(m, i)) then
            s(event_count + barrier_count + i) = z(barrier_count + i) - norm2(lambda(rows_of(i)))
         else if (.not. abs(ways(1, i)) > 0.0_dp) then
            ! friction that rests, since constraints leave it nothing to hold, is moved by them all the same
            length = measure(at%rows(grip_first(i), :))
            s(event_count + barrier_count + i) = m%slow*max(m%fastest(i), length/(@tend@ - @t0@)) &
               - norm2(at%dg(rows_of(i)))
         end if
      end do
@end
   end subroutine watch

@if barriers
   !> less than 0: a stop that does not hold is struck
   pure real(dp) function watch_stop(at, i) result(value)
      type(numbers), intent(in) :: at
      integer, intent(in) :: i
      real(dp) :: g, dg, length
      g = at%g(barrier_row(i))
      dg = at%dg(barrier_row(i))
      length = measure(at%rows(barrier_row(i), :))
      value = g
      ! what has just been struck may be passed by rounding, and moves away
      if (g < 0.0_dp .and. dg >= 0.0_dp .and. g >= -near*length) value = 0.0_dp
      if (.not. barrier_is_gap(i)) value = dg + rest*length
   end function watch_stop

@end
   !> make the speeds meet some constraints, by impulses along them, if that is better than what there is
   subroutine meet(m, t, y, list)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: y(:)
      integer, intent(in) :: list(:)
      type(numbers) :: now, after
      type(saddle) :: s
      real(dp) :: kept(speeds), none(speeds), x(speeds + size(list))
      if (size(list) == 0) return
      call look(m, t, y, now)
      if (.not. maxval(abs(now%dg(list))) > 0.0_dp) return
      call make_saddle(now%mass, now%rows(list, :), s)
      if (.not. s%solved) return
      none = 0.0_dp
      x = solve(s, [none, -now%dg(list)])
      kept = y(places + 1:)
      y(places + 1:) = kept + x(:speeds)
      call look(m, t, y, after)
      if (.not. maxval(abs(after%dg(list))) < maxval(abs(now%dg(list)))) y(places + 1:) = kept
   end subroutine meet

@if grips
   ! -- friction --------------------------------------------------------------------------------------------------------

   !> which way friction moves, 0 where it stands still, and its lead
   subroutine find_way(m, at, now, i, way)
      type(model), intent(inout) :: m
      type(instant_at), intent(in) :: at
      type(numbers), intent(in) :: now
      integer, intent(in) :: i
      real(dp), intent(inout) :: way(3)
      real(dp) :: v(merge(1, 2, grip_first(i) == grip_last(i))), speed, length, little, along(2)
      logical :: still, slips
      v = now%dg(rows_of(i))
      speed = norm2(v)
      length = max(measure(now%rows(grip_first(i), :)), measure(now%rows(grip_last(i), :)))
      slips = at%slipping == i
      m%fastest(i) = max(m%fastest(i), speed)
      if (size(v) == 1) then
         still = at%halted(i) .or. speed <= max(slow_share*m%fastest(i), rest*length)
         way(1) = merge(0.0_dp, sign(1.0_dp, v(1)), still)
         if (slips) way(1) = sign(1.0_dp, at%pull(1))
         return
      end if
      little = m%slow*max(m%fastest(i), length/(@tend@ - @t0@))
      ! where the speed along the lead is zero there may be one across: then it has turned
      still = speed <= merge(8.0_dp*little, little, at%halted(i))
      along = [v(1), v(size(v))]
      if (still) along = way(2:)
      if (slips) along = at%pull
      way(2:) = along*(little/norm2(along))
      way(1) = merge(1.0_dp, 0.0_dp, slips .or. .not. still)
   end subroutine find_way

   !> a row without what lies along others, which are of length one and at right angles
   pure function project(basis, given) result(row)
      real(dp), intent(in) :: basis(:, :), given(:)
      real(dp) :: row(size(given))
      integer :: k, twice
      row = given
      do twice = 1, 2
         do k = 1, size(basis, 2)
            row = row - dot_product(basis(:, k), row)*basis(:, k)
         end do
      end do
   end function project

   !> let friction stick that stands still, unless constraints let nothing move there anyway; whether any does
   subroutine let_stick(m, t, y, ways, any_stuck)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t, y(:), ways(:, :)
      logical, intent(out) :: any_stuck
      type(numbers) :: now
      real(dp) :: basis(speeds, multipliers), row(speeds), left(speeds)
      logical :: held(multipliers)
      integer :: i, k, own, found
      call look(m, t, y, now)
      held = find_some(m, .true., .false.)
      found = 0
      do i = 1, multipliers
         if (.not. held(i)) cycle
         row = now%rows(i, :)*sizes(places + 1:)
         left = project(basis(:, :found), row/max(norm2(row), 1.0e-300_dp))
         if (.not. norm2(left) > rank) cycle
         found = found + 1
         basis(:, found) = left/norm2(left)
      end do
      do i = 1, grip_count
         do k = 1, 2
            own = merge(grip_first(i), grip_last(i), k == 1)
            row = now%rows(own, :)*sizes(places + 1:)
            left = project(basis(:, :found), row)
            m%holds(own) = .not. abs(ways(1, i)) > 0.0_dp .and. &
               (.not. any(held) .or. maxval(abs(left)) > dependent*maxval(abs(row)))
         end do
      end do
      any_stuck = .false.
      do i = 1, grip_count
         any_stuck = any_stuck .or. is_stuck(m, i)
      end do
   end subroutine let_stick

   !> the friction that would have to hold most beyond what it can, 0, or a status; its force
   subroutine find_overcome(m, t, y, found, pull)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      integer, intent(out) :: found
      real(dp), intent(out) :: pull(2)
      real(dp) :: dy(states), lambda(multipliers), z(barrier_count + grip_count), worst, excess
      integer :: i
      call rhs(m, t, y, dy, lambda)
      call readings(m, t, y, z)
      found = 0
      worst = 0.0_dp
      pull = 0.0_dp
      do i = 1, grip_count
         if (.not. is_stuck(m, i)) cycle
         if (.not. z(barrier_count + i) >= 0.0_dp) then
            found = -9
            return
         end if
         excess = norm2(lambda(rows_of(i))) - z(barrier_count + i)
         if (excess > worst) then
            worst = excess
            found = i
            pull = [lambda(grip_first(i)), lambda(grip_last(i))]
         end if
      end do
   end subroutine find_overcome

   !> friction that stands still where constraints leave it nothing to hold (a driven part where it turns, a dead centre)
   !> slides the way in which its speed changes; whether there is any
   subroutine turn_idle(m, t, y, ways, any_turned)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(inout) :: ways(:, :)
      logical, intent(out) :: any_turned
      type(numbers) :: now
      real(dp) :: dy(states), lambda(multipliers), a(speeds), change(2), felt, share, v
      integer :: i, k, own
      call look(m, t, y, now)
      call rhs(m, t, y, dy, lambda)
      a = dy(places + 1:places + speeds)
      share = 0.0_dp
      do k = 1, speeds
         share = share + now%mass(k, k)*sizes(places + k)**2
      end do
      share = maxval(abs(now%f)*sizes(places + 1:places + speeds))/share
      any_turned = .false.
      do i = 1, grip_count
         if (abs(ways(1, i)) > 0.0_dp .or. is_stuck(m, i)) cycle
         change = 0.0_dp
         felt = 0.0_dp
         do k = 1, size(rows_of(i))
            own = merge(grip_first(i), grip_last(i), k == 1)
            change(k) = dot_product(now%rows(own, :), a) - now%c(own)
            felt = max(felt, sum(abs(now%rows(own, :)*a)) + abs(now%c(own)) + measure(now%rows(own, :))*share)
         end do
         if (.not. norm2(change) > slow_share*felt) cycle
         any_turned = .true.
         if (grip_first(i) /= grip_last(i)) then
            ways(1, i) = 1.0_dp
            ways(2:, i) = change*(norm2(ways(2:, i))/norm2(change))
            cycle
         end if
         ways(1, i) = sign(1.0_dp, change(1))
         ! it may not have come to rest yet, as it seemed
         v = now%dg(grip_first(i))
         if (v*change(1) < 0.0_dp .and. abs(v) > rest*measure(now%rows(grip_first(i), :))) ways(1, i) = sign(1.0_dp, v)
      end do
   end subroutine turn_idle

   !> friction that stands still sticks; what would have to hold too much slides the way it is pulled, and all is asked
   !> again. The force of friction is -lambda, and that of sliding against the way it slides
   subroutine settle_ways(m, t, y, ways, status)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(inout) :: ways(:, :)
      integer, intent(out) :: status
      real(dp) :: pull(2)
      logical :: any_stuck, any_turned
      integer :: round, worst
      status = 0
      do round = 0, 2*grip_count
         call set_grips(m, ways)
         call let_stick(m, t, y, ways, any_stuck)
@if settled
         call settle(m, t, y)
@end
         worst = 0
         if (any_stuck) call find_overcome(m, t, y, worst, pull)
         status = min(worst, 0)
         if (worst < 0) return
         if (worst == 0) then
            call turn_idle(m, t, y, ways, any_turned)
            if (.not. any_turned) return
            cycle
         end if
         ways(1, worst) = sign(1.0_dp, pull(1))
         if (grip_first(worst) /= grip_last(worst)) then
            ways(1, worst) = 1.0_dp
            ways(2:, worst) = pull*(norm2(ways(2:, worst))/norm2(pull))
         end if
      end do
   end subroutine settle_ways

   !> which friction sticks, and which way the other slides
   subroutine settle_grips(m, at, y, status)
      type(model), intent(inout) :: m
      type(instant_at), intent(in) :: at
      real(dp), intent(inout) :: y(:)
      integer, intent(out) :: status
      type(numbers) :: now
      real(dp) :: ways(3, grip_count)
      logical :: before(grip_count), slow_rows(multipliers)
      integer :: i
      call look(m, at%t, y, now)
      call get_grips(m, ways)
      slow_rows = .false.
      do i = 1, grip_count
         before(i) = is_stuck(m, i)
         call find_way(m, at, now, i, ways(:, i))
         ! what is left of the speeds of friction that stands still, or did until now, is taken off
         if (.not. abs(ways(1, i)) > 0.0_dp .or. (at%slipping == i .and. before(i))) slow_rows(rows_of(i)) = .true.
      end do
      if (any(slow_rows .and. abs(now%dg) > 0.0_dp)) &
         call meet(m, at%t, y, list_held(slow_rows .or. find_some(m, .true., .false.)))
      call settle_ways(m, at%t, y, ways, status)
      do i = 1, grip_count
         if (before(i) .neqv. is_stuck(m, i)) &
            call tell(at%t, event_count + 2*barrier_count + 2*i - 1 + merge(1, 0, before(i)))
      end do
   end subroutine settle_grips

@end
@if barriers
   ! -- impacts ---------------------------------------------------------------------------------------------------------

   !> q >= 0 with w = b + W q >= 0 and q w = 0: who pushes, and how much. By Murty's least-index pivots
   pure function solve_complementary(W, b) result(q)
      real(dp), intent(in) :: W(:, :), b(:)
      real(dp) :: q(size(b)), largest, slack
      logical :: pushes(size(b)), wrong(size(b))
      integer :: i, round
      largest = max(maxval(abs(W)), 1.0e-300_dp)
      slack = 1.0e-12_dp*max(maxval(abs(b)), 1.0e-300_dp)
      pushes = .false.
      q = 0.0_dp
      do round = 1, 4*2**min(size(b), 12)
         q = solve_pushes(W, b, pushes, 1.0e-14_dp*largest)
         do i = 1, size(b)
            wrong(i) = dot_product(W(i, :), q) + b(i) < -slack
         end do
         wrong = merge(q*largest < -slack, wrong, pushes)
         if (.not. any(wrong)) exit
         i = findloc(wrong, .true., 1)
         pushes(i) = .not. pushes(i)
      end do
      q = max(q, 0.0_dp)
   end function solve_complementary

   !> what those push who push, if all that push are at rest; a little softness does no harm
   pure function solve_pushes(W, b, pushes, softness) result(q)
      real(dp), intent(in) :: W(:, :), b(:), softness
      logical, intent(in) :: pushes(:)
      real(dp) :: q(size(b)), A(size(b), size(b))
      integer :: i, pivot(size(b))
      logical :: solved
      A = 0.0_dp
      q = 0.0_dp
      do i = 1, size(b)
         if (pushes(i)) A(i, :) = merge(W(i, :), 0.0_dp, pushes)
         if (pushes(i)) q(i) = -b(i)
         A(i, i) = A(i, i) + merge(softness, 1.0_dp, pushes(i))
      end do
      call factorise(A, pivot, solved)
      if (solved) call substitute(A, pivot, q)
   end function solve_pushes

   !> speeds after impacts at all stops that something moves into, one pair at a time, the fastest first, each with its
   !> own restitution, until all move apart. Where that does not end, what still moves together is stopped together.
   !> Unit impulses along the rows J change the speeds by X, and those at stops by W = J X
   subroutine strike(J, X, W, firm, drift, e, u, struck)
      real(dp), intent(in) :: J(:, :), X(:, :), W(:, :), drift(:), e(:)
      logical, intent(in) :: firm(:)
      real(dp), intent(inout) :: u(:)
      logical, intent(out) :: struck
      real(dp) :: v(size(e)), still(size(e))
      integer :: i, round
      still = still_speed*spread_sizes(J, u) + 1.0e-300_dp
      do round = 1, 2000
         v = matmul(J, u) + drift
         i = minloc(v/still, 1)
         struck = round > 1
         if (v(i) >= -still(i) .or. firm(i)) return
         u = u - X(:, i)*((1.0_dp + e(i))*v(i)/W(i, i))
      end do
      u = u + matmul(X, solve_complementary(W, matmul(J, u) + drift))
      struck = .true.
   end subroutine strike

   !> restitutions at closed stops; bounces that would be lower than rounding are none, told as rest where they come to it
   subroutine find_restitutions(m, t, y, stops, v, bends, length, e, status)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:), v(:), bends(:), length(:)
      integer, intent(in) :: stops(:)
      real(dp), intent(out) :: e(:)
      integer, intent(out) :: status
      real(dp) :: z(barrier_count + grip_count), later
      integer :: i
      call readings(m, t, y, z)
      e = z(stops)
      status = merge(0, -5, all(e >= 0.0_dp .and. e <= 1.0_dp))
      if (status < 0) return
      do i = 1, size(stops)
         if (.not. (bends(i) < 0.0_dp .and. v(i) < 0.0_dp)) cycle
         if (.not. (e(i)*v(i))**2 < 2.0_dp*abs(bends(i))*rest*length(i)) cycle
         later = t
         if (e(i) < 1.0_dp) later = t + 2.0_dp*e(i)*abs(v(i))/(abs(bends(i))*(1.0_dp - e(i)))
         if (e(i) > 0.0_dp .and. .not. m%holds(barrier_row(stops(i)))) call tell(later, event_count + 2*stops(i))
         e(i) = 0.0_dp
      end do
   end subroutine find_restitutions

   !> what unit impulses along the rows J of stops do to speeds, X; by how much the rows change if everything moves by
   !> its size, and which of them nothing can move
   subroutine find_mobility(now, s, J, X, length, firm)
      type(numbers), intent(in) :: now
      type(saddle), intent(in) :: s
      real(dp), intent(in) :: J(:, :)
      real(dp), intent(out) :: X(:, :), length(:)
      logical, intent(out) :: firm(:)
      real(dp) :: right(size(s%pivot)), inertia
      integer :: i
      inertia = 0.0_dp
      do i = 1, speeds
         inertia = inertia + now%mass(i, i)*sizes(places + i)**2
      end do
      do i = 1, size(J, 1)
         right = 0.0_dp
         right(:speeds) = J(i, :)
         right = solve(s, right)
         X(:, i) = right(:speeds)
         length(i) = measure(J(i, :))
         firm(i) = dot_product(J(i, :), X(:, i))*inertia < soft*length(i)**2
      end do
   end subroutine find_mobility

   !> impacts at closed stops, and which of them hold afterwards: those that are still and pressed on
   subroutine settle_stops(m, t, y, stops, held, freed, status)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: y(:)
      integer, intent(in) :: stops(:), held(:), freed
      integer, intent(out) :: status
      type(numbers) :: now, after
      type(saddle) :: s
      integer :: own(size(stops))
      real(dp) :: J(size(stops), speeds), X(speeds, size(stops)), W(size(stops), size(stops)), a(speeds + size(held))
      real(dp), dimension(size(stops)) :: bends, drift, e, length, limit
      logical, dimension(size(stops)) :: firm, still
      real(dp) :: first(speeds), last(speeds)
      logical :: struck
      call look(m, t, y, now)
      own = barrier_row(stops)
      call make_saddle(now%mass, now%rows(held, :), s)
      status = merge(0, -11, s%solved)
      if (status < 0) return
      J = now%rows(own, :)
      call find_mobility(now, s, J, X, length, firm)
      W = matmul(J, X)
      first = y(places + 1:)
      last = first
      drift = now%dg(own) - matmul(J, first)
      a = solve(s, [now%f, now%c(held)])
      bends = matmul(J, a(:speeds)) - now%c(own)
      call find_restitutions(m, t, y, stops, now%dg(own), bends, length, e, status)
      if (status < 0) return
      after = now
      struck = .false.
      if (size(own) > 0) call strike(J, X, W, firm, drift, e, last, struck)
      if (struck) then
         y(places + 1:) = last
         call look(m, t, y, after)
      end if
      a = solve(s, [after%f, after%c(held)])
      bends = matmul(J, a(:speeds)) - after%c(own)
      ! what strikes is stopped by impulses, and constraints hold all the same; else nothing can give way
      limit = met*(spread_sizes(J, first) + abs(now%dg(own)))
      if (any(after%dg(own) < -limit)) status = -6
      if (any(firm .and. after%dg(own) <= limit .and. &
         -bends > met*(spread_sizes(J, a(:speeds)) + abs(after%c(own))))) status = -6
      if (is_opened(now, after, held, abs(first) + abs(last))) status = -6
      if (status < 0) return
      limit = still_speed*max(spread_sizes(J, first), spread_sizes(J, last)) + 1.0e-300_dp
      still = (abs(after%dg(own)) <= 10.0_dp*limit .or. &
         after%dg(own)**2 <= 2.0_dp*abs(bends)*rest*length) .and. own /= freed
      m%holds(barrier_row) = .false.
      if (any(still)) call press(m, own, W, bends, list_held(still))
   end subroutine settle_stops

   !> let those of the stops in a list hold that are pressed on
   subroutine press(m, own, W, bends, list)
      type(model), intent(inout) :: m
      integer, intent(in) :: own(:), list(:)
      real(dp), intent(in) :: W(:, :), bends(:)
      real(dp) :: inner(size(list), size(list)), q(size(list))
      inner = W(list, list)
      q = solve_complementary(inner, bends(list))
      m%holds(own(list)) = q > 0.0_dp
   end subroutine press

   !> whether an impact has opened constraints that hold
   logical function is_opened(now, after, held, both)
      type(numbers), intent(in) :: now, after
      integer, intent(in) :: held(:)
      real(dp), intent(in) :: both(:)
      integer :: i
      is_opened = .false.
      do i = 1, size(held)
         is_opened = is_opened .or. abs(after%dg(held(i))) - abs(now%dg(held(i))) > missed(now%rows(held(i), :), both)
      end do
   end function is_opened

   !> gaps by their sizes; a ratchet has none
   subroutine find_gaps(m, t, y, gaps)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: gaps(:)
      type(numbers) :: now
      integer :: i
      call look(m, t, y, now)
      do i = 1, barrier_count
         gaps(i) = merge(now%g(barrier_row(i))/measure(now%rows(barrier_row(i), :)), 0.0_dp, barrier_is_gap(i))
      end do
   end subroutine find_gaps

@end
   !> stops that are closed, those that are struck among them, and friction; the row `freed` does not hold
   subroutine settle_all(m, at, y, struck, freed, status)
      type(model), intent(inout) :: m
      type(instant_at), intent(in) :: at
      real(dp), intent(inout) :: y(:)
      logical, intent(in) :: struck(:)
      integer, intent(in) :: freed
      integer, intent(out) :: status
@if barriers
      real(dp) :: gaps(barrier_count)
      logical :: closed(barrier_count)
@end
      associate (unused => m); end associate
      associate (unused => at); end associate
      associate (unused => y); end associate
      associate (unused => struck); end associate
      associate (unused => freed); end associate
      status = 0
@if barriers
      call find_gaps(m, at%t, y, gaps)
      closed = struck .or. gaps <= near .or. m%holds(barrier_row) .or. barrier_row == freed
      call settle_stops(m, at%t, y, list_held(closed), list_held(find_some(m, .false., .false.)), freed, status)
      if (status < 0) return
@end
@if grips
      call settle_grips(m, at, y, status)
@end
   end subroutine settle_all

@if acting
   ! -- events that act -------------------------------------------------------------------------------------------------

   !> whether two events at one time ask for different things
   logical function contradict(now, a)
      logical, intent(in) :: now(:)
      real(dp), intent(in) :: a(:)
      integer :: i, k
      contradict = .false.
@if values
      do i = 1, size(goal_event)
         do k = 1, i - 1
            if (now(goal_event(i)) .and. now(goal_event(k)) .and. goal_of(i) == goal_of(k)) &
               contradict = contradict .or. abs(a(i) - a(k)) > 0.0_dp
         end do
      end do
@end
@if switches
      do i = 1, size(switch_event)
         do k = 1, i - 1
            if (now(switch_event(i)) .and. now(switch_event(k)) .and. switch_row(i) == switch_row(k)) &
               contradict = contradict .or. (switch_on(i) .neqv. switch_on(k))
         end do
      end do
@end
      associate (unused => now); end associate
      associate (unused => a); end associate
   end function contradict

   !> speeds after impulses along rows that are to have values and along constraints that hold
   subroutine jump(m, t, y, rows, values, held, status)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, rows(:, :), values(:)
      real(dp), intent(inout) :: y(:)
      integer, intent(in) :: held(:)
      integer, intent(out) :: status
      type(numbers) :: now
      type(saddle) :: s
      real(dp) :: J(size(values) + size(held), speeds), wish(size(values) + size(held))
      real(dp) :: x(speeds + size(values) + size(held)), u(speeds)
      integer :: i
      call look(m, t, y, now)
      u = y(places + 1:)
      J(:size(values), :) = rows
      J(size(values) + 1:, :) = now%rows(held, :)
      wish = matmul(J, u)
      wish(:size(values)) = values
      wish(size(values) + 1:) = wish(size(values) + 1:) - now%dg(held)
      call make_saddle(now%mass, J, s)
      status = merge(0, -11, s%solved)
      if (status < 0) return
      x(:speeds) = 0.0_dp
      x(speeds + 1:) = wish - matmul(J, u)
      x = solve(s, x)
      u = u + x(:speeds)
      do i = 1, size(wish)
         if (.not. abs(dot_product(J(i, :), u) - wish(i)) <= missed(J(i, :), u) + met*abs(wish(i))) status = -7
      end do
      y(places + 1:) = u
   end subroutine jump

   !> switch constraints, and change speeds, states and inputs as an event says
   subroutine apply(m, t, y, event, a, by_speeds, status)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t, a(:), by_speeds(:, :)
      real(dp), intent(inout) :: y(:)
      integer, intent(in) :: event
      integer, intent(out) :: status
      logical :: jumps
      real(dp) :: rows(size(by_speeds, 2), speeds), values(size(by_speeds, 2))
      integer :: i, count
@if switches
      type(numbers) :: now
      call look(m, t, y, now)
@end
      status = 0
      count = 0
      jumps = .false.
@if switches
      do i = 1, size(switch_event)
         if (switch_event(i) /= event) cycle
         m%holds(switch_row(i)) = switch_on(i)
         jumps = jumps .or. switch_on(i)
         if (switch_on(i) .and. abs(now%g(switch_row(i))) > passed*measure(now%rows(switch_row(i), :))) then
            status = -8
            return
         end if
      end do
@end
@if wanted
      do i = 1, size(wanted_event)
         if (wanted_event(i) /= event) cycle
         count = count + 1
         rows(count, :) = by_speeds(:, wanted_slopes(i))
         values(count) = a(wanted_value(i))
      end do
@end
      i = count
      if (jumps .or. i > 0) &
         call jump(m, t, y, rows(:i, :), values(:i), list_held(find_some(m, .false., .false.)), status)
@if acts
      if (status == 0) call act(m, event, a, y)
@end
      associate (unused => event); end associate
      associate (unused => a); end associate
      associate (unused => by_speeds); end associate
   end subroutine apply

@end
   !> what some events do at an instant
   subroutine react(m, at, y, now, status)
      type(model), intent(inout) :: m
      type(instant_at), intent(inout) :: at
      real(dp), intent(inout) :: y(:)
      logical, intent(in) :: now(:)
      integer, intent(out) :: status
      logical :: struck(max(1, barrier_count))
@if acting
      real(dp) :: a(max(1, @n_values@)), flat(max(1, @n_wanted@)*speeds)
      integer :: i
      a = 0.0_dp
      flat = 0.0_dp
@if values
      call acts(m, at%t, y, a)
@end
@if wanted
      call slopes(m, at%t, y, flat)
@end
      status = -4
      if (contradict(now, a)) return
      do i = 1, event_count
         if (.not. now(i) .or. event_kinds(i) /= 1) cycle
         call apply(m, at%t, y, i, a, reshape(flat, [speeds, size(flat)/speeds]), status)
         if (status < 0) return
      end do
@end
      struck = .false.
@if barriers
      struck = now(barrier_watch)
@end
@if grips
      at%halted = now(grip_watch)
@end
      associate (unused => now); end associate
      call settle_all(m, at, y, struck, 0, status)
      at%halted = .false.
   end subroutine react

   !> make the speeds meet constraints that hold
   subroutine meet_held(m, t, y)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t
      real(dp), intent(inout) :: y(:)
      call meet(m, t, y, list_held(m%holds))
   end subroutine meet_held

   !> a stop that was found to have to pull, or would have to, lets go, or friction slips
   subroutine release(m, at, y, found, after, status)
      type(model), intent(inout) :: m
      type(instant_at), intent(inout) :: at
      real(dp), intent(inout) :: y(:)
      logical, intent(in) :: found(:)
      real(dp), intent(in) :: after(:)
      integer, intent(out) :: status
      logical :: none(max(1, barrier_count))
      integer :: i, freed
@if grips
      type(numbers) :: now
      real(dp) :: dy(states), lambda(multipliers)
@end
      none = .false.
      freed = 0
@if barriers
      i = findloc(found(event_count + 1:event_count + barrier_count) .or. &
         after(event_count + 1:event_count + barrier_count) < 0.0_dp, .true., 1)
      if (i > 0) then
         freed = barrier_row(i)
         m%holds(freed) = .false.
         call tell(at%t, event_count + 2*i - 1)
      end if
@end
@if grips
      i = findloc(after(event_count + barrier_count + 1:) < 0.0_dp, .true., 1)
      if (i > 0 .and. freed == 0) then
         call rhs(m, at%t, y, dy, lambda)
         at%slipping = i
         at%pull = [lambda(grip_first(i)), lambda(grip_last(i))]
         if (.not. is_stuck(m, i)) then
            call look(m, at%t, y, now)
            at%pull = [now%dg(grip_first(i)), now%dg(grip_last(i))]
         end if
      end if
@end
      associate (unused => after); end associate
      associate (unused => found); end associate
      i = 0
      status = 0
      if (freed == 0 .and. at%slipping == 0) return
      call settle_all(m, at, y, none, freed, status)
      at%slipping = i
   end subroutine release

   !> what holds at the start, after impacts there; 0, or a reason that words tell
   subroutine begin_modes(m, t, y, tolerance, status)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t, tolerance
      real(dp), intent(inout) :: y(:)
      integer, intent(out) :: status
      type(instant_at) :: at
      logical :: struck(max(1, barrier_count))
@if barriers
      real(dp) :: gaps(barrier_count)
@end
      at%t = t
      struck = .false.
@if grips
      m%slow = max(slow_share, 30.0_dp*tolerance)
@end
      associate (unused => tolerance); end associate
@if barriers
      call find_gaps(m, t, y, gaps)
      struck = gaps <= touch
      status = -10
      if (any(gaps < -passed)) return
@end
      call settle_all(m, at, y, struck, 0, status)
   end subroutine begin_modes
end module @name@_modes
