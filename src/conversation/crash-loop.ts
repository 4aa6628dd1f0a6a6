/** Maximum number of resumes in short succession. A step or call that needs more is in a crash loop. */
const MAX_RESUMES = 2

/**
 * Restarts within this many milliseconds suggest a crash. People who reload the page during a slow step do it less
 * often.
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
