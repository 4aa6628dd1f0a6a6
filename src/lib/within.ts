import { sleep } from './sleep.ts'

/** Resolves to null where the promise takes longer. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  return Promise.race([promise, sleep(ms).then(() => null)])
}
