import { task } from './support/task.ts'

/** Native disclosures with one name: as one opens, the others close. */
export const accordion = task<{ readonly topic: string }>({
  name: 'accordion: a question within a part',
  ask: ({ topic }) => `Say that the answer on ${topic} was helpful.`,
  app: ({ body, h, two, shuffle }) => {
    const topics = shuffle(['Delivery', 'Returns', 'Payment', 'Warranty'])
    const [topic, other] = two(topics)
    const helpful: string[] = []
    for (const name of topics)
      body.append(
        h(
          'details',
          { name: 'faq' },
          h('summary', { text: name }),
          h('p', { text: `All about ${name.toLowerCase()}.` }),
          h('button', { text: 'Helpful', onclick: () => helpful.push(name) }),
          h('button', { text: 'Not helpful', onclick: () => helpful.push(`not ${name}`) }),
        ),
      )
    return { goal: { topic }, decoy: { topic: other }, isReached: () => helpful.join() === topic }
  },
  solve: async ({ look, act, click }, { topic }) => {
    const page = await look()
    const head = page.lines.find((line) => (line.name === topic || line.text === topic) && line.ref)
    await click(head?.ref ?? topic)
    await click(
      (await act('find', { role: 'button', name: 'Helpful' })).all('button', 'Helpful')[0]?.ref ??
        '',
    )
  },
})
