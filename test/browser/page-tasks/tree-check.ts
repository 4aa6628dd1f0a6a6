import { task } from './support/task.ts'

interface Goal {
  readonly branch: string
  readonly leaf: string
}

/** Branches that are loaded when they open; what is chosen is `aria-selected`. */
export const treeCheck = task<Goal>({
  name: 'tree: open a branch and choose in it',
  ask: ({ branch, leaf }) => `Choose ${leaf} in ${branch}.`,
  style: '[role=treeitem] { cursor: pointer }',
  app: ({ body, h, two, pick }) => {
    const branches = ['Reports', 'Pictures', 'Invoices']
    const leaves = ['2023', '2024', '2025']
    const [branch, other] = two(branches)
    const leaf = pick(leaves)
    let chosen = ''
    const tree = h('ul', { role: 'tree', 'aria-label': 'Folders' })
    for (const name of branches) {
      const item: HTMLElement = h(
        'li',
        {
          role: 'treeitem',
          'aria-expanded': 'false',
          tabindex: 0,
          onclick: () => {
            if (item.getAttribute('aria-expanded') === 'true') return
            item.setAttribute('aria-expanded', 'true')
            setTimeout(
              () =>
                item.append(
                  h('ul', { role: 'group' }, ...leaves.map((text) => leafOf(name, text))),
                ),
              150,
            )
          },
        },
        h('span', { text: name }),
      )
      tree.append(item)
    }
    const leafOf = (name: string, text: string): HTMLElement => {
      const item = h('li', {
        role: 'treeitem',
        'aria-selected': 'false',
        text,
        onclick: (event: Event) => {
          event.stopPropagation()
          for (const one of tree.querySelectorAll('[aria-selected]'))
            one.setAttribute('aria-selected', 'false')
          item.setAttribute('aria-selected', 'true')
          chosen = `${name}/${text}`
        },
      })
      return item
    }
    body.append(tree)
    return {
      goal: { branch, leaf },
      decoy: { branch: other, leaf },
      isReached: () => chosen === `${branch}/${leaf}`,
    }
  },
  solve: async ({ look, click, act }, { branch, leaf }) => {
    await click((await look()).ref('treeitem', branch))
    await act('wait_for', { role: 'treeitem', name: leaf })
    await click((await look()).within('treeitem', branch).ref('treeitem', leaf))
  },
})
