"""Where nothing accelerates: equilibria, with states at rest, and steady motions.

equilibrium   positions where all forces balance
rest          positions and first-order states where nothing changes any more
steady        motions whose states keep their speeds
closing       back onto the constraints
"""
