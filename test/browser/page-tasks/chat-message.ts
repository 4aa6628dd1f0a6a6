import { task } from './support/task.ts'

interface Goal {
  readonly room: string
  readonly words: string
}

/** Rooms as tabs, a composer that is `contenteditable` and sends by Enter. */
export const chatMessage = task<Goal>({
  name: 'chat: write in a room',
  ask: ({ room, words }) => `Write "${words}" in the room ${room}.`,
  app: ({ body, h, two, pick }) => {
    const rooms = ['general', 'random', 'releases', 'support']
    const [room, other] = two(rooms)
    const words = pick(['It is done', 'Back in ten minutes', 'Who has the key?'])
    const sent: string[] = []
    let current = 'general'
    const log = h('div', { role: 'log', 'aria-label': 'Messages' })
    const composer = h('div', {
      contenteditable: 'true',
      role: 'textbox',
      'aria-label': 'Message',
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== 'Enter' || event.shiftKey) return
        event.preventDefault()
        const text = composer.innerText.trim()
        if (text) sent.push(`${current}: ${text}`)
        log.append(h('p', { text: `You: ${text}` }))
        composer.replaceChildren()
      },
    })
    const nav = h('nav', { 'aria-label': 'Rooms' })
    for (const name of rooms)
      nav.append(
        h('a', {
          href: `#${name}`,
          text: `# ${name}`,
          onclick: () => {
            current = name
            log.replaceChildren(h('p', { text: `Welcome to ${name}` }))
          },
        }),
      )
    body.append(nav, log, composer)
    const isReached = (): boolean => sent.join('|') === `${room}: ${words}`
    return { goal: { room, words }, decoy: { room: other, words }, isReached }
  },
  solve: async ({ look, click, type }, { room, words }) => {
    const page = await look()
    await click(page.ref('link', `# ${room}`))
    const said = await type(page.ref('textbox', 'Message'), words, { enter: true })
    if (!said.text.includes(`You: ${words}`)) throw new Error(said.text)
  },
})
