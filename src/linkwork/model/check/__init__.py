"""What is wrong with a description: all of it at once, in words. Looks at numbers and names; changes nothing.

mechanism     everything, in order; the checks that belong to no other file
rigids, bodies, connections, contact, stops, velocities, laws, signals, sampled, opaque, algebra, energies
              one file for each family of parts
unlikely      what is hardly ever meant
findings      what the checks share: the mechanism, its numbers, the problems found so far
"""
