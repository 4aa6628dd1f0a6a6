import { task } from './support/task.ts'

/** A dialog of the browser's own, in which the name is to be typed before its button works. */
export const modalConfirm = task<{ readonly project: string }>({
  name: 'dialog: type the name to archive',
  ask: ({ project }) => `Archive the project ${project}.`,
  app: ({ body, h, two }) => {
    const projects = ['apollo', 'gemini', 'mercury']
    const [project, other] = two(projects)
    const archived: string[] = []
    for (const name of projects) {
      const field: HTMLInputElement = h('input', {
        'aria-label': `Type ${name} to go on`,
        oninput: () => (confirm.disabled = field.value !== name),
      })
      const confirm = h('button', {
        text: 'Archive project',
        disabled: true,
        onclick: () => {
          archived.push(name)
          dialog.close()
        },
      })
      const dialog: HTMLDialogElement = h(
        'dialog',
        { 'aria-label': `Archive ${name}?` },
        field,
        h('button', { text: 'Keep', onclick: () => dialog.close() }),
        confirm,
      )
      body.append(
        h(
          'section',
          { 'aria-label': name },
          h('h2', { text: name }),
          h('button', { text: 'Archive …', onclick: () => dialog.showModal() }),
        ),
        dialog,
      )
    }
    return {
      goal: { project },
      decoy: { project: other },
      isReached: () => archived.join() === project,
    }
  },
  solve: async ({ look, click, type }, { project }) => {
    const dialog = await click((await look()).within('region', project).ref('button', 'Archive …'))
    await type(dialog.ref('textbox', `Type ${project} to go on`), project)
    await click((await look()).ref('button', 'Archive project'))
  },
})
