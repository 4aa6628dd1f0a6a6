import { sleep } from '../../lib/sleep.ts'
import type { StartFailure } from '../start-failure.ts'
import { addressOf } from './cause.ts'
import { lookAtFile } from './look-at-file.ts'

const LOOKING_MS = 5000
/** A loaded machine may take its time; half a minute for a sign of life, a minute for an answer. */
const FOR_A_SIGN_MS = 20_000
const FOR_AN_ANSWER_MS = 30_000

/**
 * For a worker that has neither failed nor answered for ten seconds: resolves when there is nothing to
 * be waited for any more. Its answer is taken all the while.
 */
export async function untilGivenUp(failure: StartFailure): Promise<void> {
  if (!failure.hasBegun && (await isNoOffstageWorker(failure, AbortSignal.timeout(LOOKING_MS))))
    return
  await sleep(FOR_A_SIGN_MS)
  if (failure.hasBegun) await sleep(FOR_AN_ANSWER_MS)
}

/** Whether a file can be seen to be no worker of Offstage: nothing in it is, and it imports nothing. */
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
