import { task } from './support/task.ts'

/** Opens by Control+K only, filters while one types, and chooses by the arrow keys. */
export const commandPalette = task<{ readonly command: string }>({
  name: 'command palette: run a command',
  ask: ({ command }) => `Press Control+K and run the command "${command}".`,
  app: ({ body, h, two, shuffle }) => {
    const commands = shuffle([
      'New file',
      'New folder',
      'Close file',
      'Close all',
      'Go to line',
      'Go to file',
    ])
    const [command, other] = two(commands)
    const run: string[] = []
    const dialog = h('dialog', { 'aria-label': 'Commands' })
    const list = h('ul', { role: 'listbox', id: 'list', 'aria-label': 'Found' })
    let active = 0
    const draw = (): void => {
      const found = commands.filter((one) => one.toLowerCase().includes(input.value.toLowerCase()))
      active = Math.max(0, Math.min(active, found.length - 1))
      list.replaceChildren(
        ...found.map((text, n) =>
          h('li', { role: 'option', id: `o${n}`, text, 'aria-selected': String(n === active) }),
        ),
      )
      input.setAttribute('aria-activedescendant', `o${active}`)
    }
    const input = h('input', {
      role: 'combobox',
      'aria-label': 'Command',
      'aria-expanded': 'true',
      'aria-controls': 'list',
      oninput: () => draw(),
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'ArrowDown') active += 1
        else if (event.key === 'ArrowUp') active -= 1
        else if (event.key === 'Enter') {
          run.push(list.children[active]?.textContent ?? '')
          dialog.close()
          return
        } else return
        event.preventDefault()
        draw()
      },
    })
    dialog.append(input, list)
    body.append(h('p', { text: 'Press Control+K for all commands.' }), dialog)
    addEventListener('keydown', (event) => {
      if (event.key !== 'k' || !event.ctrlKey) return
      event.preventDefault()
      dialog.showModal()
      draw()
    })
    return { goal: { command }, decoy: { command: other }, isReached: () => run.join() === command }
  },
  solve: async ({ act, press, type }, { command }) => {
    await press('Control+K')
    const palette = await act('read_page')
    await type(palette.ref('combobox', 'Command'), command.split(' ')[0] ?? '')
    for (let step = 0; step < 6; step += 1) {
      const options = (await act('read_page')).all('option')
      const current = options.find(({ marks }) => marks.includes('[selected]'))
      if (current && (current.name || current.text) === command) break
      await press('ArrowDown')
    }
    await press('Enter')
  },
})
