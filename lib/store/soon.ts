/** What is there already, or will be. To wait for what is there takes longer than most answers from memory. */
export type Soon<T> = T | Promise<T>;

/** Goes on with it, at once where it is there. */
export const soon = <T, U>(value: Soon<T>, use: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(use) : use(value);
