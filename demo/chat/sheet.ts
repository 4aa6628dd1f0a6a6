import { byId } from '../lib/dom.ts'
import { stored } from '../lib/stored.ts'

/** On narrow screens the chat is a sheet over the shop, which can't be reached meanwhile. */
export function createChatSheet(): void {
  const chat = byId('chat', HTMLElement)
  const toggle = byId('chat-toggle', HTMLButtonElement)
  const close = byId('chat-close', HTMLButtonElement)
  const shop = byId('shop', HTMLElement)
  const narrow = matchMedia('(max-width: 860px)')
  const wasOpen = stored('sessionStorage', 'kiln-sheet')
  const cover = (): void => {
    shop.inert = narrow.matches && chat.classList.contains('open')
  }
  const show = (open: boolean): void => {
    chat.classList.toggle('open', open)
    toggle.setAttribute('aria-expanded', String(open))
    cover()
    wasOpen.write(open)
  }
  narrow.addEventListener('change', cover)
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
