import { task } from './support/task.ts'

interface Goal {
  readonly file: string
  readonly name: string
}

/** A file's actions are in the menu of the right mouse button. */
export const contextMenu = task<Goal>({
  name: 'menus: behind the right button',
  ask: ({ file, name }) => `Rename the file ${file} to ${name}.`,
  style: '[role=menu] { position: fixed; border: 1px solid; background: white }',
  app: ({ body, h, two, shuffle, int }) => {
    const files = shuffle(['a.txt', 'b.png', 'c.pdf', 'd.zip'])
    const [file, other] = two(files)
    const name = `n${int(10, 99)}.bak`
    const list = h('ul', { 'aria-label': 'Files' })
    const open = (row: HTMLElement, event: MouseEvent): void => {
      event.preventDefault()
      document.querySelector('[role=menu]')?.remove()
      const menu = h('div', {
        role: 'menu',
        style: `left: ${event.clientX}px; top: ${event.clientY}px`,
      })
      const rename = (): void => {
        menu.remove()
        const field = h('input', { 'aria-label': 'New name', value: row.textContent ?? '' })
        field.onkeydown = ({ key }) => {
          if (key === 'Enter') row.textContent = field.value
          if (key === 'Escape') row.textContent = field.defaultValue
        }
        row.replaceChildren(field)
        field.focus()
      }
      menu.append(
        h('div', { role: 'menuitem', tabindex: -1, text: 'Open', onclick: () => menu.remove() }),
        h('div', { role: 'menuitem', tabindex: -1, text: 'Rename', onclick: rename }),
      )
      body.append(menu)
    }
    for (const text of files) {
      const row: HTMLElement = h('li', {
        text,
        oncontextmenu: (event: MouseEvent) => open(row, event),
      })
      list.append(row)
    }
    body.append(list)
    const wanted = files.map((one) => (one === file ? name : one)).join()
    const isReached = (): boolean =>
      [...list.children].map(({ textContent }) => textContent).join() === wanted
    return { goal: { file, name }, decoy: { file: other, name }, isReached }
  },
  solve: async ({ act, click, type }, { file, name }) => {
    const found = await act('find', { text: file })
    const menu = await act('click', { ref: found.lines.find(({ ref }) => ref)?.ref, kind: 'right' })
    const field = await click(menu.ref('menuitem', 'Rename'))
    await type(field.lines.find(({ role }) => role === 'textbox')?.ref ?? 'New name', name, {
      enter: true,
    })
  },
})
