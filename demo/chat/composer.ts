import { byId } from '../lib/dom.ts'

export interface Composer {
  /** While a run is open, Stop takes the place of Send. */
  setBusy(busy: boolean): void
  focus(): void
}

export function createComposer(options: { onSend(text: string): void; onStop(): void }): Composer {
  const form = byId('composer', HTMLFormElement)
  const prompt = byId('prompt', HTMLTextAreaElement)
  const send = byId('send', HTMLButtonElement)
  const stop = byId('stop', HTMLButtonElement)

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = prompt.value.trim()
    if (!text || send.hidden) return
    prompt.value = ''
    options.onSend(text)
  })
  prompt.addEventListener('keydown', (event) => {
    // Enter also ends a composition of an input method; that one isn't meant for us.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  stop.addEventListener('click', options.onStop)
  return {
    setBusy(busy) {
      const hadFocus = document.activeElement === stop || document.activeElement === send
      send.hidden = busy
      stop.hidden = !busy
      if (hadFocus) (busy ? stop : prompt).focus()
    },
    focus: () => prompt.focus(),
  }
}
