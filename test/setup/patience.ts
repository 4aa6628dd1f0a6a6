import { vi, type VitestUtils } from 'vitest'

/** Milliseconds, as for `expect.poll` in vitest.config.ts. A slow machine isn't a failure. */
const PATIENCE = 30_000
const guard = Symbol.for('offstage.test.patience')

const { waitFor, waitUntil } = vi
type Waiting = Parameters<VitestUtils['waitFor']>[1]

function patient(options: Waiting): Exclude<Waiting, number> {
  return typeof options === 'number' ? { timeout: options } : { timeout: PATIENCE, ...options }
}

if (!(guard in vi)) {
  Object.assign(vi, {
    [guard]: true,
    waitFor: ((callback, options) =>
      waitFor(callback, patient(options))) satisfies VitestUtils['waitFor'],
    waitUntil: ((callback, options) =>
      waitUntil(callback, patient(options))) satisfies VitestUtils['waitUntil'],
  })
}
