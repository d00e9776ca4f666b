import type { Store } from '../store/store.js';

/**
 * What `read` makes of each transaction after `since`, as it commits; `null` is passed over. Ends when
 * the signal aborts or the store closes.
 */
export async function* watchCommits<T>(
  store: Store,
  since: number,
  read: (tx: number) => T | null,
  signal: AbortSignal | undefined,
): AsyncIterable<T> {
  let seen = since;
  let wake: () => void = () => undefined;
  const unlisten = store.onEvent(() => wake());
  const onAbort = (): void => wake();
  signal?.addEventListener('abort', onAbort);
  const isOver = (): boolean => signal?.aborted === true || store.isClosed;
  try {
    while (!isOver()) {
      if (seen < store.index.lastTx) {
        seen += 1;
        const item = read(seen);
        if (item !== null) yield item;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    unlisten();
    signal?.removeEventListener('abort', onAbort);
  }
}
