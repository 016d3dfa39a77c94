"""Recordings: what a file keeps of a motion and a picture shows, as plain arrays and words.

recording     a Trajectory in, a Recording out
drawing       parts, joints and wheels as a picture draws them; check_drawing: the same read from a file
shown         the coordinates a picture needs; knots: a motion as few states; samples: the times of everything else
forces, torques
              arrows
touching      what touches and is touched
noise         what is rounding and no signal
"""
