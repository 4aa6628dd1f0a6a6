import { task } from './support/task.ts'

/** A line of input below a log, as terminals in pages have it. */
export const terminal = task<{ readonly ending: string }>({
  name: 'terminal: remove a file',
  ask: ({ ending }) =>
    `In the terminal, delete the file that ends in ${ending}. ls lists files, rm removes one.`,
  app: ({ body, h, two, int, shuffle }) => {
    const endings = shuffle(['.gif', '.txt', '.zip', '.py'])
    const files = endings.map((ending) => `f${int(100, 999)}${ending}`)
    const [ending, other] = two(endings)
    const left = new Set(files)
    const log = h('pre', { role: 'log', 'aria-label': 'Terminal' })
    const run = (line: string): string => {
      const [command, file = ''] = line.trim().split(/\s+/)
      if (command === 'ls') return [...left].join('  ')
      if (command === 'rm') return left.delete(file) ? '' : `rm: ${file}: no such file`
      return `${command}: not found`
    }
    const input = h('input', {
      'aria-label': 'Command',
      autocomplete: 'off',
      onkeydown: (event: KeyboardEvent) => {
        if (event.key !== 'Enter') return
        log.append(`$ ${input.value}\n${run(input.value)}\n`)
        input.value = ''
      },
    })
    body.append(log, '$ ', input)
    const isReached = (): boolean =>
      left.size === 3 && ![...left].some((file) => file.endsWith(ending))
    return { goal: { ending }, decoy: { ending: other }, isReached }
  },
  solve: async ({ look, type }, { ending }) => {
    const input = (await look()).ref('textbox', 'Command')
    const listed = await type(input, 'ls', { enter: true })
    const file = listed.text.split(/[\s"]+/).find((word) => word.endsWith(ending))
    await type(input, `rm ${file}`, { enter: true })
  },
})
