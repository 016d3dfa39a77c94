// The player: model time against the clock.

import { clamp } from "./bodies";

export const SPEEDS: number[] = [];
for (let power = -5; power <= 3; power++) for (const digit of [1, 2, 5]) SPEEDS.push(+`${digit}e${power}`);

export class Player {
  time: number;
  playing = false;
  loop = true;
  speed: number;
  onChange: () => void = () => {};
  private last = 0;

  constructor(readonly begin: number, readonly end: number) {
    this.time = begin;
    this.speed = Player.natural(end - begin);
  }

  /** Real time where that is comfortable to watch, else what lasts about eight seconds. */
  static natural(duration: number): number {
    if (!(duration > 0) || (duration >= 1.5 && duration <= 400)) return 1;
    const wanted = duration < 1.5 ? duration / 8 : duration / 120;
    return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
  }

  play(on = true): void {
    if (on && this.time >= this.end) this.time = this.begin;
    this.playing = on && this.end > this.begin;
    this.last = performance.now();
    this.onChange();
  }

  seek(time: number): void {
    this.time = clamp(time, this.begin, this.end);
    this.last = performance.now();
    this.onChange();
  }

  /** One frame of 1/60 s at the speed chosen, so many times. */
  step(frames: number): void {
    this.playing = false;
    this.seek(this.time + (frames * this.speed) / 60);
  }

  faster(steps: number): void {
    const nearest = SPEEDS.findIndex((s) => s >= this.speed * 0.999);
    this.speed = SPEEDS[clamp((nearest < 0 ? SPEEDS.length - 1 : nearest) + steps, 0, SPEEDS.length - 1)];
    this.onChange();
  }

  /** Go on by what the clock says; returns whether anything moved. */
  tick(now: number): boolean {
    if (!this.playing) return false;
    // a page that was hidden goes on where it was
    const passed = Math.min(0.25, Math.max(0, now - this.last) / 1000);
    this.last = now;
    let time = this.time + passed * this.speed;
    if (time > this.end) {
      if (this.loop) time = this.begin + ((time - this.begin) % (this.end - this.begin));
      else { time = this.end; this.playing = false; }
    }
    this.time = time;
    this.onChange();
    return true;
  }
}
