import { task } from './support/task.ts'

interface Goal {
  readonly name: string
  readonly value: number
}

/** A part of a text is changed; the rest must stay as it was. */
export const codeEdit = task<Goal>({
  name: 'code: change one number',
  ask: ({ name, value }) =>
    `In the code, set ${name} to ${value} and run it. Leave the rest as it is.`,
  app: ({ body, h, two, int }) => {
    const [name, other] = two(['width', 'height', 'depth', 'weight'])
    const value = int(100, 900)
    const lines = ['width', 'height', 'depth', 'weight'].map((key) => `const ${key} = 12`)
    const run: string[] = []
    const code = h('textarea', { 'aria-label': 'Code', rows: 8, spellcheck: 'false' })
    code.value = `// Sizes\n${lines.join('\n')}\n`
    const wanted = code.value.replace(`const ${name} = 12`, `const ${name} = ${value}`)
    body.append(code, h('button', { text: 'Run code', onclick: () => run.push(code.value) }))
    return {
      goal: { name, value },
      decoy: { name: other, value },
      isReached: () => run.length === 1 && run[0] === wanted,
    }
  },
  solve: async ({ look, act, click }, { name, value }) => {
    const page = await look()
    const ref = page.ref('textbox', 'Code')
    const { text } = await look(ref)
    const line = text.split('\n').find((one) => one.includes(`const ${name} = `))
    if (!line) throw new Error(text)
    await act('select_text', { ref, text: line.trim().replace(/^\| /, '') })
    await act('type_text', { ref, text: `const ${name} = ${value}`, mode: 'insert' })
    await click(page.ref('button', 'Run code'))
  },
})
