!> @title@: equations of motion, @written@. See README.md.
module @name@
   use, intrinsic :: iso_fortran_env, only: dp => real64
@if ieee
   use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
@end
   implicit none
   private :: dp
@if ieee
   private :: ieee_value, ieee_quiet_nan
@end

   integer, parameter :: states = @n_states@, multipliers = @n_multipliers@
   integer, parameter :: output_count = @n_outputs@, event_count = @n_events@
@if acts
   integer, parameter :: act_count = @n_acts@
@end
@if modes
   ! places before the speeds in the state; stops, friction, and all that is watched
   integer, parameter :: places = @first_speed@, speeds = @n_speeds@, barrier_count = @n_barriers@, grip_count = @n_grips@
   integer, parameter :: watched_count = event_count + barrier_count + grip_count
@end
@if controllers
   integer, parameter :: controller_count = @n_controllers@, held_count = @n_held@, clock_count = @n_clocks@
@end
@if reads
   integer, parameter :: read_count = @n_reads@
@end
@if answers
   integer, parameter :: answer_count = @n_answers@
@end

   ! the state at the start, the sizes by which its errors are judged, and the names of everything
@data@

   type :: model
@fields@
   end type model
@if modes

   !> the numbers of the equations at a state: mass a + rows' lambda = f, rows a = c; constraints g and their rates dg
   type :: numbers
      real(dp) :: mass(speeds, speeds), rows(multipliers, speeds), f(speeds)
      real(dp) :: c(multipliers), g(multipliers), dg(multipliers)
   end type numbers

   !> the matrix of masses and some constraints, and its factors
   type :: saddle
      real(dp), allocatable :: exact(:, :), lu(:, :)
      integer, allocatable :: pivot(:)
      logical :: solved = .false.
   end type saddle
@end
@if stubs

   ! to be filled in: see external.f90
   interface
@interfaces@
   end interface
@end

contains

   !> what follows from the parameters alone: call it after they were set. It does not fit if a value is zero that was
   !> not, or the other way round: then the equations would be others
   pure subroutine init(m, fits)
      type(model), intent(inout) :: m
      logical, intent(out), optional :: fits
@init@
   end subroutine init

@functions@
@if settled

@pack_settled@

   !> take a change off the values, and say whether it was the last one
   pure subroutine improve(m, round, change, w, found)
      type(model), intent(inout) :: m
      integer, intent(in) :: round
      real(dp), intent(in) :: change(:)
      real(dp), intent(inout) :: w(:)
      logical, intent(out) :: found
      real(dp) :: largest
      w = w - change
      call set_settled(m, w)
      largest = maxval(abs(change)/max(abs(w) + 1.0e-3_dp*maxval(abs(w)), 1.0e-300_dp))
      found = largest <= 1.0e-13_dp .or. (round >= 6 .and. largest <= 1.0e-9_dp)
   end subroutine improve
@end
@if grips

   !> of all friction which way it slides, 1, -1 or 0, and its lead in two directions
@pack_grips@
@end
@if loops

   !> solve D x = r for x, which takes the place of r, by elimination
   pure subroutine eliminate(D, r, solved)
      real(dp), intent(inout) :: D(:, :), r(:)
      logical, intent(out) :: solved
      real(dp) :: kept, factor
      integer :: i, k, best
      do k = 1, size(r)
         best = k - 1 + maxloc(abs(D(k:, k)), 1)
         solved = abs(D(best, k)) > 0.0_dp
         if (.not. solved) return
         do i = 1, size(r)
            kept = D(k, i)
            D(k, i) = D(best, i)
            D(best, i) = kept
         end do
         kept = r(k)
         r(k) = r(best)
         r(best) = kept
         do i = 1, size(r)
            if (i == k) cycle
            factor = D(i, k)/D(k, k)
            D(i, k:) = D(i, k:) - factor*D(k, k:)
            r(i) = r(i) - factor*r(k)
         end do
      end do
      do k = 1, size(r)
         r(k) = r(k)/D(k, k)
      end do
   end subroutine eliminate

   !> find the values in laws that belong to the same instant, from those that are there on; no numbers if there are
   !> none. All subroutines do so for themselves
   pure subroutine settle(m, t, y)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp) :: w(@n_settled@), r(@n_settled@), J(@n_settled@*@n_settled@), D(@n_settled@, @n_settled@)
      logical :: solved, found
      integer :: round
      call get_settled(m, w)
      do round = 0, 39
         call loop(m, t, y, r, J)
         D = transpose(reshape(J, shape(D)))
         call eliminate(D, r, solved)
         if (.not. solved) exit
         call improve(m, round, r, w, found)
         if (found) return
      end do
      w = ieee_value(w, ieee_quiet_nan)
      call set_settled(m, w)
   end subroutine settle
@end
@if modes
@solve@
@end
@if controllers

@hold@
@end
@if parameters

   !> set a parameter by its name
   pure subroutine set_parameter(m, name, value, known)
      type(model), intent(inout) :: m
      character(len=*), intent(in) :: name
      real(dp), intent(in) :: value
      logical, intent(out) :: known
      known = .true.
      select case (name)
@known@
      case default
         known = .false.
      end select
   end subroutine set_parameter
@end
@if signs

   elemental real(dp) function sgn(x)
      real(dp), intent(in) :: x
      sgn = merge(sign(1.0_dp, x), 0.0_dp, abs(x) > 0.0_dp)
   end function sgn
@end
@if curves

   !> the piece of a curve that holds at x
   pure integer function curve_piece(knots, x) result(low)
      real(dp), intent(in) :: knots(:), x
      integer :: high, middle
      low = 0
      high = size(knots)
      do while (low < high)
         middle = (low + high)/2
         if (knots(middle + 1) <= x) then
            low = middle + 1
         else
            high = middle
         end if
      end do
   end function curve_piece

   !> the derivative of this order of a piecewise polynomial
   pure real(dp) function curve_value(knots, origins, coefficients, period, x, order) result(y)
      real(dp), intent(in) :: knots(:), origins(:), coefficients(:, :), period, x
      integer, intent(in) :: order
      real(dp) :: d, factor
      integer :: i, j, k
      k = curve_piece(knots, x) + 1
      d = x - origins(k)
      if (period > 0.0_dp) d = d - period*anint(d/period)
      y = 0.0_dp
      do j = size(coefficients, 1) - 1, order, -1
         factor = 1.0_dp
         do i = 0, order - 1
            factor = factor*(j - i)
         end do
         y = y*d + factor*coefficients(j + 1, k)
      end do
   end function curve_value
@end
@if sides

   !> a distance from the knots that changes its sign at each of them
   pure real(dp) function curve_side(knots, x) result(away)
      real(dp), intent(in) :: knots(:), x
      integer :: k
      k = curve_piece(knots, x)
      away = huge(1.0_dp)
      if (k > 0) away = x - knots(k)
      if (k < size(knots)) away = min(away, knots(k + 1) - x)
      if (modulo(k, 2) == 0) away = -away
   end function curve_side
@end

end module @name@
