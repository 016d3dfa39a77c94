"""Where nothing accelerates: equilibria, with states at rest, and steady motions.

equilibrium   positions where all forces balance
rest          positions and first-order states where nothing changes any more; sampled: and what controllers hold
steady        motions whose states keep their speeds
following     equilibria from one value of a parameter to the next, as far as they can be followed
holding       what friction that sticks has to hold, and whether it can
sequence      quasi-static sequences: tables, plots, pictures
setting       what is brought to rest; onesided: equilibria with what only pushes, as stops
closing       back onto the constraints; moving: whether anything can move
"""
