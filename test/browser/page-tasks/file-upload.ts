import { task } from './support/task.ts'

/** A hidden field behind a button, and a place to drop files. */
export const fileUpload = task<{ readonly file: string }>({
  name: 'files: attach one',
  ask: ({ file }) => `Attach ${file} and upload it.`,
  options: { files: ['plan.pdf', 'photo.png', 'notes.txt'] },
  app: ({ body, h, two }) => {
    const [file, other] = two(['plan.pdf', 'photo.png', 'notes.txt'])
    const sent: string[] = []
    const status = h('p', { role: 'status', text: 'No file' })
    const field: HTMLInputElement = h('input', {
      type: 'file',
      style: 'opacity: 0; position: absolute',
      onchange: () => (status.textContent = field.files?.[0]?.name ?? 'No file'),
    })
    body.append(
      h('label', { style: 'border: 1px solid; position: relative' }, 'Choose a file', field),
      status,
      h('button', {
        text: 'Upload',
        onclick: () => sent.push([...(field.files ?? [])].map(({ name }) => name).join()),
      }),
    )
    return { goal: { file }, decoy: { file: other }, isReached: () => sent.join('|') === file }
  },
  solve: async ({ look, type, click }, { file }) => {
    const page = await look()
    const field = page.lines.find(({ name, ref }) => ref && name === 'Choose a file')
    const said = await type(field?.ref ?? '', file)
    if (!said.text.includes(file)) throw new Error(said.text)
    await click(page.ref('button', 'Upload'))
  },
})
