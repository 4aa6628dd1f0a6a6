import { cleanText, quote, shorten } from '../clean-text.ts'
import type { DialogPolicy, NativeDialog } from '../options.ts'
import { beginActing } from './begin-acting.ts'
import { replaceFunctions } from './replace-functions.ts'

export interface DialogWatch {
  /** The dialogs and their answers so far, for the report. */
  readonly lines: readonly string[]
  restore(): void
}

/**
 * Answers `alert`, `confirm` and `prompt` by policy until `restore` is called, which restores the original
 * functions. Without a policy nothing is replaced.
 */
export function watchDialogs(
  views: Iterable<Window>,
  policy: DialogPolicy | undefined,
): DialogWatch {
  const lines: string[] = []
  if (!policy) return { lines, restore: () => undefined }
  const ask = (dialog: NativeDialog): boolean | string => {
    const answer = decide(dialog, policy)
    // No person answered, even while a tool only waits.
    beginActing()()
    const effect =
      dialog.type === 'alert' ? 'closed' : answer === false ? 'dismissed' : accepted(answer)
    lines.push(
      `The page opened a native ${dialog.type}: ${quote(shorten(cleanText(dialog.message), 300))}; it was ${effect}.`,
    )
    return answer
  }
  const replaced = Array.from(views, (view) => takeOver(view, ask))
  return {
    lines,
    restore() {
      for (const putBack of replaced) putBack()
    },
  }
}

function takeOver(view: Window, ask: (dialog: NativeDialog) => boolean | string): () => void {
  return replaceFunctions(view, {
    alert: (message?: unknown) => void ask({ type: 'alert', message: String(message ?? '') }),
    confirm: (message = '') => ask({ type: 'confirm', message: String(message) }) !== false,
    prompt(message = '', defaultValue = '') {
      const answer = ask({ type: 'prompt', message: String(message), defaultValue })
      return answer === false ? null : answer === true ? defaultValue : answer
    },
  })
}

function decide(dialog: NativeDialog, policy: DialogPolicy): boolean | string {
  if (policy === 'accept') return true
  if (policy === 'dismiss') return false
  const answer = policy(dialog)
  return typeof answer === 'string' ? answer : answer === true
}

function accepted(answer: boolean | string): string {
  return typeof answer === 'string' ? `answered ${quote(answer)}` : 'accepted'
}
