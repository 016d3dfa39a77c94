!> @title@: functions of its laws that could not be written down, to be filled in.
!>
!> What they remember belongs to the model: let m%user point to it.
submodule (@name@) external
   implicit none

contains
@stub_bodies@

end submodule external
