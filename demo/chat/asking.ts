import { el, setText } from '../lib/dom.ts'

/** Buttons that send an answer. */
export interface Asking {
  readonly element: HTMLElement
  /** Sends the answer; when it is refused, says why and asks again. */
  send(answer: () => Promise<boolean>): void
}

export function asking(buttons: readonly HTMLButtonElement[], editor?: HTMLElement): Asking {
  const problem = el('p', { class: 'notice', role: 'alert' })
  const row = el('div', { class: 'decision-buttons' }, ...buttons)
  const element = el('div', {}, ...(editor ? [editor] : []), row, problem)
  const enable = (enabled: boolean): void => {
    for (const button of buttons) button.disabled = !enabled
  }
  return {
    element,
    send(answer) {
      setText(problem, '')
      enable(false)
      const tell = (words: string): void => setText(problem, words)
      answer().then(
        (taken) => {
          if (!taken) tell('This was answered already, perhaps in another tab. Reload to see.')
        },
        (error: unknown) => {
          tell(error instanceof Error ? error.message : String(error))
          enable(true)
        },
      )
    },
  }
}
