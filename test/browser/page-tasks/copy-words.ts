import { task } from './support/task.ts'

/** Text from one part of the page has to be copied to another. */
export const copyWords = task<{ readonly nth: number }>({
  name: 'copy and paste: a paragraph into a field',
  ask: ({ nth }) => `Copy paragraph ${nth} into the notes, and save them.`,
  app: ({ body, h, two, shuffle }) => {
    const texts = shuffle([
      'The ferry leaves at 9:40, and again at 17:05.',
      'Bring "good" shoes & a coat; it is 12 °C.',
      'Rooms: 214 (Ada), 219 – 221 (all others).',
      'Lunch is at 13:00 in the garden, if it’s dry.',
    ])
    const [nth, other] = two([1, 2, 3, 4])
    const saved: string[] = []
    const notes = h('textarea', { 'aria-label': 'Notes' })
    const save = h('button', { text: 'Save notes', onclick: () => saved.push(notes.value) })
    body.append(h('article', {}, ...texts.map((text) => h('p', { text }))), notes, save)
    return {
      goal: { nth },
      decoy: { nth: other },
      isReached: () => saved.length === 1 && saved[0] === texts[nth - 1],
    }
  },
  solve: async ({ look, act, type, click }, { nth }) => {
    const page = await look()
    // The outline has them in one line; its characters are read by their lines.
    const { text } = await act('read_page', { from: `${page.ref('article')}:0` })
    const lines = text.split('\n').filter((line) => /^ *\| ./.test(line))
    const words = (lines[nth - 1] ?? '').trim().slice(2)
    await type(page.ref('textbox', 'Notes'), words)
    await click(page.ref('button', 'Save notes'))
  },
})
