import { sleep } from './sleep.ts'

/** Resolves like the promise, or to null after `ms` milliseconds. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  return Promise.race([promise, sleep(ms).then(() => null)])
}
