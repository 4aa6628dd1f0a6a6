import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Parts carry a hash of their content in their names; entries don't. */
const PART = /^(.+)-([\w-]{8})\.js$/

/** Copies the scripts of a build. */
export async function deploy(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await scriptsIn(from))
    await copyFile(path.join(from, name), path.join(to, name))
}

/** Replaces the scripts by those of another build: the same code, but every part has another name. */
export async function redeploy(folder: string): Promise<{ readonly gone: readonly string[] }> {
  const names = await scriptsIn(folder)
  const texts = new Map<string, string>()
  for (const name of names) texts.set(name, await readFile(path.join(folder, name), 'utf8'))
  const renamed = new Map(
    names.flatMap((name) => {
      const [, part, hash = ''] = PART.exec(name) ?? []
      return part ? [[name, `${part}-${hash.slice(4)}${hash.slice(0, 4)}.js`] as const] : []
    }),
  )
  await rm(folder, { recursive: true })
  await mkdir(folder)
  for (const [name, text] of texts) {
    const next = [...renamed].reduce((code, [old, now]) => code.replaceAll(old, now), text)
    await writeFile(path.join(folder, renamed.get(name) ?? name), next)
  }
  return { gone: [...renamed.keys()] }
}

async function scriptsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.js'))
}
