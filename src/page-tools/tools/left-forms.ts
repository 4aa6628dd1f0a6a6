import type { Tool } from '../../client/tool.ts'
import { once } from '../../lib/once.ts'
import { PageError } from '../page-error.ts'
import { readUnloadNote } from './unload-note.ts'

// A form may lead to a page without it: there, somebody has to know what became of the call.

const KEY = 'offstage-left-forms'

/** Notes for the next page of this tab that a form's tool was at work; the function takes that back. */
export function noteFormAtWork(name: string): () => void {
  write([...new Set([...namesAtWork(), name])])
  return () => forgetLeftForm(name)
}

/** It is on this page, or has been asked: later pages of the tab don't offer it in its form's place. */
export function forgetLeftForm(name: string): void {
  write(namesAtWork().filter((one) => one !== name))
}

function write(names: readonly string[]): void {
  try {
    if (names.length > 0) sessionStorage.setItem(KEY, JSON.stringify(names))
    else sessionStorage.removeItem(KEY)
  } catch {
    // Storage is blocked: the outcome is reported as unknown.
  }
}

/** The tools of forms that were at work as the page before this one was left. */
export const leftForms: () => readonly string[] = once(namesAtWork)

function namesAtWork(): readonly string[] {
  try {
    const names: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(names) ? names.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** In place of the tool of a form that is not on this page: offered until it has said what became of a call. */
export function leftFormTool(name: string): Tool {
  let isAsked = false
  return {
    name,
    description: 'A form of the page before, which is not on this one.',
    annotations: { untrustedContent: true },
    available: () => !isAsked,
    execute() {
      throw new PageError('not-found', 'This form is not on this page.')
    },
    reconcile(_input, { idempotencyKey }) {
      isAsked = true
      forgetLeftForm(name)
      return readUnloadNote(idempotencyKey)
    },
  }
}
