import { task } from './support/task.ts'

interface Goal {
  readonly who: string
  readonly words: string
}

/** Comments below comments, each with a link to answer it. */
export const commentThread = task<Goal>({
  name: 'comments: answer a nested one',
  ask: ({ who, words }) => `Answer the comment of ${who} with "${words}".`,
  app: ({ body, h, two, pick, shuffle }) => {
    const people = shuffle(['Ines', 'Otto', 'Yuki', 'Sven', 'Lena'])
    const [who, other] = two(people)
    const words = pick(['Well said', 'I doubt it', 'Since when?'])
    const answers: string[] = []
    let around: HTMLElement = body
    for (const name of people) {
      const post = h(
        'article',
        { 'aria-label': `Comment by ${name}` },
        h('p', { text: `I am ${name}.` }),
      )
      const answer = h('button', {
        text: 'Answer',
        onclick: () => {
          const field = h('input', { placeholder: 'Your answer' })
          const submit = (event: Event): void => {
            event.preventDefault()
            answers.push(`${name}: ${field.value}`)
            form.replaceWith(h('p', { text: `You: ${field.value}` }))
          }
          const form = h('form', { onsubmit: submit }, field, h('button', { text: 'Add' }))
          answer.replaceWith(form)
        },
      })
      post.append(answer)
      around.append(post)
      around = post
    }
    const isReached = (): boolean => answers.join() === `${who}: ${words}`
    return { goal: { who, words }, decoy: { who: other, words }, isReached }
  },
  solve: async ({ look, click, type }, { who, words }) => {
    const comment = (await look()).within('article', `Comment by ${who}`)
    const opened = await click(comment.all('button', 'Answer')[0]?.ref ?? '')
    const said = await type(opened.ref('textbox', 'Your answer'), words)
    await click(said.has('button', 'Add') ? said.ref('button', 'Add') : opened.ref('button', 'Add'))
  },
})
