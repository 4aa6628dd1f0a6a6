import { describeThrown, OffstageError } from '../protocol/error.ts'
import { resolveWithin } from '../lib/sleep.ts'
import * as whole from './action-part.ts'

/** The part of the worker that writes and reads calls in text. */
export type ActionPart = typeof whole

/**
 * Id of the build, set by the build if the worker's parts are separate files. A part from another build is refused: it
 * might parse calls differently.
 */
declare const OFFSTAGE_PARTS: string | undefined

/** How long to wait for a server that doesn't answer. Milliseconds. */
const LOAD_MS = 60_000

let loadedPart: ActionPart | undefined = typeof OFFSTAGE_PARTS === 'undefined' ? whole : undefined
let loading: Promise<ActionPart> | undefined
let address: string | undefined
let attempts = 0

/** Sets the address of the part's file. Default: `worker-action.js` beside the worker. */
export function setPartAddress(url: string | undefined): void {
  address = url
}

/** The part. Undefined if it isn't loaded. */
export function loadedActionPart(): ActionPart | undefined {
  return loadedPart
}

/** The part. Throws `worker-load-failed` if it isn't loaded. */
export function actionPart(): ActionPart {
  return loadedPart ?? fail('it was not loaded')
}

/** The part, loaded first if necessary. */
export async function needActionPart(): Promise<ActionPart> {
  return loadedPart ?? ((await loadActionPart()) as ActionPart)
}

/**
 * Loads the part. Null if it is already loaded. Tries the given address, then the worker's folder. Rejects with
 * `worker-load-failed`; a later call tries again.
 */
export function loadActionPart(): Promise<ActionPart> | null {
  if (loadedPart) return null
  loading ??= loadFile().finally(() => (loading = undefined))
  return loading
}

async function loadFile(): Promise<ActionPart> {
  const defaultUrl = new URL('./worker-action.js', globalThis.location.href).href
  let failure: unknown
  for (const url of [address ?? defaultUrl, defaultUrl]) {
    try {
      // A query makes the address new: some browsers never fetch a module again after a failure.
      await resolveWithin(import(attempts++ === 0 ? url : `${url}?${attempts}`), LOAD_MS)
      // The file sets a global, because a bundler may drop exports that nothing imports.
      loadedPart = Reflect.get(globalThis, `offstage ${OFFSTAGE_PARTS}`) as ActionPart | undefined
      if (loadedPart) return loadedPart
      failure = 'the server did not answer in time, or the file is from another release'
    } catch (thrown) {
      failure = thrown
    }
  }
  return fail(describeThrown(failure))
}

function fail(reason: string): never {
  throw new OffstageError(
    'worker-load-failed',
    `The worker could not load worker-action.js, which reads calls in text. Serve it beside worker.js: ${reason}`,
    { retryable: true },
  )
}
