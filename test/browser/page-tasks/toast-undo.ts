import { task } from './support/task.ts'

/** The action can be undone through a message that is shown for ten seconds. */
export const toastUndo = task<{ readonly mail: string }>({
  name: 'toast: take back what was done',
  ask: ({ mail }) => `Mute "${mail}", and take that back by the message that appears; then pin it.`,
  style:
    '#toast { position: fixed; bottom: 10px; right: 10px; background: black; color: white; padding: 10px }',
  app: ({ body, h, two, shuffle }) => {
    const mails = shuffle(['Offer', 'Invoice', 'Ticket'])
    const [mail, other] = two(mails)
    const log: string[] = []
    const note = (text: string, name: string): void => {
      document.querySelector('#toast')?.remove()
      const toast = h(
        'div',
        { id: 'toast', role: 'status' },
        `${text} `,
        h('button', {
          text: 'Undo',
          onclick: () => {
            log.push(`undone ${name}`)
            toast.remove()
          },
        }),
      )
      body.append(toast)
      setTimeout(() => toast.remove(), 10_000)
    }
    for (const name of mails) {
      const act = (what: string): HTMLElement =>
        h('button', {
          text: what,
          onclick: () => {
            log.push(`${what} ${name}`)
            note(`${name}: ${what}d`, name)
          },
        })
      body.append(h('article', { 'aria-label': name }, name, act('Mute'), act('Pin')))
    }
    const isReached = (): boolean => log.join() === `Mute ${mail},undone ${mail},Pin ${mail}`
    return { goal: { mail }, decoy: { mail: other }, isReached }
  },
  solve: async ({ look, click }, { mail }) => {
    const page = await look()
    const said = await click(page.within('article', mail).ref('button', 'Mute'))
    await click(said.all('button', 'Undo')[0]?.ref ?? '')
    await click(page.within('article', mail).ref('button', 'Pin'))
  },
})
