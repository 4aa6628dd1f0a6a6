import { byId, el, setText } from '../lib/dom.ts'
import { projectFiles } from './project-files.ts'
import type { ProjectFile, ProjectSetup } from './project-setup.ts'
import { zip } from './zip.ts'

/** Opens the dialog that shows the files of a project with the present set-up, to copy or to download. */
export async function openProject(setup: ProjectSetup): Promise<void> {
  const dialog = byId('project-dialog', HTMLDialogElement)
  const list = byId('project-files', HTMLSelectElement)
  const text = byId('project-text', HTMLTextAreaElement)
  const files = await projectFiles(setup)
  const show = (): void => {
    text.value = files.find(({ path }) => path === list.value)?.text ?? ''
    text.scrollTop = 0
    setText(byId('project-told', HTMLElement), '')
  }
  list.replaceChildren(...files.map(({ path }) => el('option', { value: path }, path)))
  list.onchange = show
  byId('project-copy', HTMLButtonElement).onclick = () => void copy(text)
  byId('project-download', HTMLButtonElement).onclick = () => download(files, setup)
  byId('project-close', HTMLButtonElement).onclick = () => dialog.close()
  list.selectedIndex = 0
  show()
  dialog.showModal()
}

async function copy(text: HTMLTextAreaElement): Promise<void> {
  const statusLine = byId('project-told', HTMLElement)
  try {
    await navigator.clipboard.writeText(text.value)
    setText(statusLine, 'Copied.')
  } catch {
    // A frame may have no access to the clipboard: the person copies the selection.
    text.select()
    setText(statusLine, 'Selected. Copy it with your keyboard.')
  }
}

function download(files: readonly ProjectFile[], { app }: ProjectSetup): void {
  const href = URL.createObjectURL(zip(files))
  const name = `offstage-${app}.zip`
  el('a', { href, download: name }).click()
  // Some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(href), 10_000)
  setText(byId('project-told', HTMLElement), `${name}: ${files.length} files.`)
}
