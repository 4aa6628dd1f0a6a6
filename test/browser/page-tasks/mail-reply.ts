import { task } from './support/task.ts'

interface Goal {
  readonly from: string
  readonly words: string
}

export const mailReply = task<Goal>({
  name: 'mail: reply to one person',
  ask: ({ from, words }) => `Reply to the mail of ${from} with "${words}".`,
  app: ({ body, h, two, pick, shuffle }) => {
    const people = shuffle(['Ada', 'Grace', 'Linus', 'Barbara', 'Ken', 'Radia'])
    const [from, other] = two(people)
    const words = pick(['See you on Monday', 'I agree', 'No, thank you'])
    const sent: string[] = []
    const list = h('ul', { 'aria-label': 'Inbox' })
    const open = (name: string): void => {
      const text = h('textarea', { 'aria-label': 'Your reply' })
      const send = (): void => {
        sent.push(`${name}: ${text.value}`)
        body.replaceChildren(list)
      }
      const reply: HTMLElement = h('button', {
        text: 'Reply',
        onclick: () => reply.replaceWith(text, h('button', { text: 'Send reply', onclick: send })),
      })
      body.replaceChildren(h('h1', { text: `Mail of ${name}` }), h('p', { text: 'Lunch?' }), reply)
    }
    for (const name of people)
      list.append(
        h('li', {}, h('a', { href: '#', text: `${name}: lunch?`, onclick: () => open(name) })),
      )
    body.append(list)
    const isReached = (): boolean => sent.length === 1 && sent[0] === `${from}: ${words}`
    return { goal: { from, words }, decoy: { from: other, words }, isReached }
  },
  async solve({ look, click, type }, { from, words }) {
    const opened = await click((await look()).ref('link', `${from}: lunch?`))
    const reply = await click(opened.ref('button', 'Reply'))
    await type(reply.ref('textbox', 'Your reply'), words)
    const closed = await click(reply.ref('button', 'Send reply'))
    closed.one('list', 'Inbox')
  },
})
