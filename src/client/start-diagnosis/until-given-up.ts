import { sleep } from '../../lib/sleep.ts'
import type { StartFailure } from '../start-failure.ts'
import { addressOf } from './cause.ts'
import { lookAtFile } from './look-at-file.ts'

const LOOKING_MS = 5000
/**
 * Waits after the first ten seconds, since a busy machine is slow. Total: half a minute for a sign of life, a minute
 * for an answer.
 */
const FOR_A_SIGN_MS = 20_000
const FOR_AN_ANSWER_MS = 30_000

/**
 * Waits for a worker that has neither failed nor answered within ten seconds. Resolves when further waiting is
 * pointless. Until then, an answer still counts.
 */
export async function untilGivenUp(failure: StartFailure): Promise<void> {
  if (!failure.hasBegun && (await isNoOffstageWorker(failure, AbortSignal.timeout(LOOKING_MS))))
    return
  await sleep(FOR_A_SIGN_MS)
  if (failure.hasBegun) await sleep(FOR_AN_ANSWER_MS)
}

/** Whether a file is clearly no Offstage worker: it neither mentions Offstage nor imports anything. */
export async function isNoOffstageWorker(
  failure: StartFailure,
  signal: AbortSignal,
): Promise<boolean> {
  if (failure.isNoOffstageWorker === undefined) {
    const look = await lookAtFile(addressOf(failure), signal)
    failure.isNoOffstageWorker =
      look.type === 'answer' && look.text !== '' && !/offstage|\bimport/i.test(look.text)
  }
  return failure.isNoOffstageWorker
}
