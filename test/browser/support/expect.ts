import { expect as playwright } from '@playwright/test'

/** Milliseconds. Playwright's own pauses grow to a second: most of what a test took was waiting for them. */
export const POLL_INTERVALS = [20, 50]

const poll: typeof playwright.poll = (actual, options) =>
  playwright.poll(actual, {
    intervals: POLL_INTERVALS,
    ...(typeof options === 'string' ? { message: options } : options),
  })

export const expect = new Proxy(playwright, {
  get: (target, name) => (name === 'poll' ? poll : Reflect.get(target, name)),
})
