/** Resumes of a step or call without an outcome, before it counts as a crash loop. */
const MAX_RESUMES = 2

/**
 * Restarts closer together than this suggest a crash. A person who reloads during a slow step isn't that quick.
 * Milliseconds.
 */
const SOON_MS = 10_000

/** Compares wall-clock times. Uses the absolute difference, since the clock may have been set back. */
export function isSoonAfter(last: number, now: number): boolean {
  return Math.abs(now - last) < SOON_MS
}

/** Whether a step has crashed the page too often to resume it again. */
export function isStepLooping(
  step: { readonly stepResumes: number; readonly stepStartedAt: number },
  now: number,
): boolean {
  return step.stepResumes >= MAX_RESUMES && isSoonAfter(step.stepStartedAt, now)
}

/** Whether a call has crashed the page too often to start it again. */
export function isCallLooping(
  call: { readonly starts: number; readonly startedAt: number },
  now: number,
): boolean {
  return call.starts > MAX_RESUMES && isSoonAfter(call.startedAt, now)
}
