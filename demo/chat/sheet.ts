import { byId } from '../lib/dom.ts'
import { stored } from '../lib/stored.ts'

/** On narrow screens the chat is a sheet over the shop. */
export function createChatSheet(): void {
  const chat = byId('chat', HTMLElement)
  const toggle = byId('chat-toggle', HTMLButtonElement)
  const close = byId('chat-close', HTMLButtonElement)
  const wasOpen = stored('sessionStorage', 'kiln-sheet')
  const show = (open: boolean): void => {
    chat.classList.toggle('open', open)
    toggle.setAttribute('aria-expanded', String(open))
    wasOpen.write(open)
  }
  toggle.addEventListener('click', () => {
    show(true)
    close.focus()
  })
  const hide = (): void => {
    show(false)
    toggle.focus()
  }
  close.addEventListener('click', hide)
  chat.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && chat.classList.contains('open')) hide()
  })
  show(wasOpen.read() === true)
}
