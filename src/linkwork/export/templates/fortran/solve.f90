
   ! -- the equations solved with the constraints that hold, by elimination ----------------------------------------------
   !
   !    [ M  J' ] [a]        [f]
   !    [ J  -E ] [lambda] = [c]    E is tiny: rows that depend on each other do no harm, and refinement takes it out

   !> factorise a square matrix, in place
   pure subroutine factorise(A, pivot, solved)
      real(dp), intent(inout) :: A(:, :)
      integer, intent(out) :: pivot(:)
      logical, intent(out) :: solved
      real(dp) :: kept(size(A, 2))
      integer :: i, k
      solved = .true.
      do k = 1, size(A, 1)
         pivot(k) = k - 1 + maxloc(abs(A(k:, k)), 1)
         kept = A(k, :)
         A(k, :) = A(pivot(k), :)
         A(pivot(k), :) = kept
         solved = abs(A(k, k)) > 0.0_dp
         if (.not. solved) return
         A(k + 1:, k) = A(k + 1:, k)/A(k, k)
         do i = k + 1, size(A, 1)
            A(k + 1:, i) = A(k + 1:, i) - A(k, i)*A(k + 1:, k)
         end do
      end do
   end subroutine factorise

   !> solve with the factors, in place
   pure subroutine substitute(A, pivot, x)
      real(dp), intent(in) :: A(:, :)
      integer, intent(in) :: pivot(:)
      real(dp), intent(inout) :: x(:)
      real(dp) :: kept
      integer :: k
      do k = 1, size(x)
         kept = x(k)
         x(k) = x(pivot(k))
         x(pivot(k)) = kept
      end do
      do k = 1, size(x)
         x(k + 1:) = x(k + 1:) - x(k)*A(k + 1:, k)
      end do
      do k = size(x), 1, -1
         x(k) = x(k)/A(k, k)
         x(:k - 1) = x(:k - 1) - x(k)*A(:k - 1, k)
      end do
   end subroutine substitute

   !> the matrix of M with some rows J of constraints, and its factors
   pure subroutine make_saddle(mass, rows, s)
      real(dp), intent(in) :: mass(:, :), rows(:, :)
      type(saddle), intent(out) :: s
      integer :: i, n, size_of
      n = size(mass, 1)
      size_of = n + size(rows, 1)
      allocate (s%exact(size_of, size_of), s%lu(size_of, size_of), s%pivot(size_of))
      s%exact = 0.0_dp
      s%exact(:n, :n) = mass
      s%exact(n + 1:, :n) = rows
      s%exact(:n, n + 1:) = transpose(rows)
      s%lu(:, :) = s%exact
      do i = n + 1, size_of
         s%lu(i, i) = -1.0e-13_dp*maxval(abs(rows))**2
      end do
      call factorise(s%lu, s%pivot, s%solved)
   end subroutine make_saddle

   !> M x + J' lambda = f, J x = b: x, then lambda, of right = f, then b
   pure function solve(s, right) result(x)
      type(saddle), intent(in) :: s
      real(dp), intent(in) :: right(:)
      real(dp) :: x(size(right)), change(size(right))
      integer :: round
      x = right
      call substitute(s%lu, s%pivot, x)
      do round = 1, 2
         change = right - matmul(s%exact, x)
         call substitute(s%lu, s%pivot, change)
         x = x + change
      end do
   end function solve

   !> the numbers of a state
   pure subroutine look(m, t, y, at)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      type(numbers), intent(out) :: at
      real(dp) :: mm(speeds*speeds), gg(multipliers*speeds)
      call terms(m, t, y, mm, gg, at%f, at%c)
      call constraints(m, t, y, at%g, at%dg)
      at%mass = reshape(mm, [speeds, speeds])
      at%rows = transpose(reshape(gg, [speeds, multipliers]))
   end subroutine look

   !> the constraints that hold, by their numbers
   pure function list_held(holds) result(list)
      logical, intent(in) :: holds(:)
      integer :: list(count(holds)), i
      list = pack([(i, i=1, size(holds))], holds)
   end function list_held

   !> rates and multipliers with values in laws as they are; s is left for more of the kind
   pure subroutine respond(m, t, y, s, dy, lambda)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      type(saddle), intent(out) :: s
      real(dp), intent(out) :: dy(:), lambda(:)
      type(numbers) :: at
      integer :: list(count(m%holds))
      real(dp) :: x(speeds + count(m%holds))
      call look(m, t, y, at)
      list = list_held(m%holds)
      call make_saddle(at%mass, at%rows(list, :), s)
      x = [at%f, at%c(list)]
      if (s%solved) x = solve(s, x)
      if (.not. s%solved) x = ieee_value(x, ieee_quiet_nan)
      call moves(m, t, y, y(places + 1:), dy)
      dy(places + 1:) = x(:speeds)
      lambda = 0.0_dp
      lambda(list) = x(speeds + 1:)
   end subroutine respond

   !> the rates dy of the state y, and the multipliers, with the constraints that hold
   pure subroutine rhs(m, t, y, dy, lambda)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: dy(:), lambda(:)
      type(saddle) :: s
@if settled
      type(model) :: now
      now = m
      call settle(now, t, y)
      call respond(now, t, y, s, dy, lambda)
@end
@if !settled
      call respond(m, t, y, s, dy, lambda)
@end
   end subroutine rhs

   !> the smallest change of the state, by masses, that closes the constraints that hold to first order
   pure subroutine correct(m, t, y, dy)
      type(model), intent(in) :: m
      real(dp), intent(in) :: t, y(:)
      real(dp), intent(out) :: dy(:)
      type(numbers) :: at
      type(saddle) :: s
      integer :: list(count(m%holds))
      real(dp) :: x(speeds + count(m%holds)), none(speeds), moved(states)
      list = list_held(m%holds)
      none = 0.0_dp
      dy = 0.0_dp
@if shapes
      call renorm(m, t, y, dy)
@end
      if (size(list) == 0) return
      call look(m, t, y, at)
      call make_saddle(at%mass, at%rows(list, :), s)
      if (.not. s%solved) return
      ! places move as the speeds move them
      x = solve(s, [none, -at%g(list)])
      call moves(m, t, y, x(:speeds), moved)
      dy(:places) = dy(:places) + moved(:places)
      x = solve(s, [none, -at%dg(list)])
      dy(places + 1:) = x(:speeds)
   end subroutine correct
@if settled

   !> find the values in laws that belong to the same instant, from those that are there on; no numbers if there are
   !> none. A (a, lambda) = (f, c) and z = 0:   D = dz/dw + dz/d(a, lambda) inv(A) d(f, c)/dw
   pure subroutine settle(m, t, y)
      type(model), intent(inout) :: m
      real(dp), intent(in) :: t, y(:)
      integer, parameter :: values = @n_settled@, unknowns = speeds + multipliers
      real(dp) :: w(values), z(values), J(values*values), D(values, values)
      real(dp) :: by(values*unknowns), of(values*unknowns), slopes(unknowns, values), right(unknowns, values)
      real(dp) :: dy(states), lambda(multipliers)
      type(saddle) :: s
      integer :: list(speeds + count(m%holds))
      logical :: solved, found
      integer :: round, k, pivot(values)
      call get_settled(m, w)
      list = [(k, k=1, speeds), speeds + list_held(m%holds)]
      do round = 0, 39
         call respond(m, t, y, s, dy, lambda)
         if (.not. s%solved) exit
         call loop(m, t, y, dy, lambda, z, J, by, of)
         D = transpose(reshape(J, [values, values]))
         slopes = reshape(by, [unknowns, values])
         right = reshape(of, [unknowns, values])
         do k = 1, values
            D(:, k) = D(:, k) + matmul(solve(s, right(list, k)), slopes(list, :))
         end do
         call factorise(D, pivot, solved)
         if (.not. solved) exit
         call substitute(D, pivot, z)
         call improve(m, round, z, w, found)
         if (found) return
      end do
      w = ieee_value(w, ieee_quiet_nan)
      call set_settled(m, w)
   end subroutine settle
@end
