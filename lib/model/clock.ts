/** Tells the time in epoch milliseconds. The one place that asks the machine for it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
