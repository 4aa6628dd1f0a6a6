import type { Tool } from '../../client/tool.ts'
import { once } from '../../lib/once.ts'
import { PageError } from '../page-error.ts'
import { readUnloadNote } from './unload-note.ts'

// A form may lead to a page without it. The outcome of its call must still be found out there.

const KEY = 'offstage-left-forms'

/** Notes for the next page of this tab that a form's tool is running. Returns a function that removes the note. */
export function noteFormAtWork(name: string): () => void {
  write([...new Set([...namesAtWork(), name])])
  return () => forgetLeftForm(name)
}

/** Removes the note once the form is on this page, or has reported. Later pages then offer no stand-in for it. */
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

/** Names of forms' tools that were running when the page before this one was left. */
export const leftForms: () => readonly string[] = once(namesAtWork)

function namesAtWork(): readonly string[] {
  try {
    const names: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(names) ? names.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Stand-in for the tool of a form that isn't on this page. Offered until it has reported the outcome of a call. */
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
