/** Resumes of one step, or of one call, without an outcome, before it counts as a crash loop. */
const MAX_RESUMES = 2

/** What crashes the page does so soon; a person who reloads during a slow step is not that quick. Milliseconds. */
const SOON_MS = 10_000

/** By the wall clock, which may have been set back since. */
export function isSoonAfter(last: number, now: number): boolean {
  return Math.abs(now - last) < SOON_MS
}

/** A step that would be resumed once more though it has led to a crash again and again. */
export function isStepLooping(
  step: { readonly stepResumes: number; readonly stepStartedAt: number },
  now: number,
): boolean {
  return step.stepResumes >= MAX_RESUMES && isSoonAfter(step.stepStartedAt, now)
}

/** The same of a call that would be started once more. */
export function isCallLooping(
  call: { readonly starts: number; readonly startedAt: number },
  now: number,
): boolean {
  return call.starts > MAX_RESUMES && isSoonAfter(call.startedAt, now)
}
