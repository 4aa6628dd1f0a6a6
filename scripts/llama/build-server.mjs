import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fail } from '../lib/install.mjs'
import { inProject } from '../lib/project.mjs'
import { npm, run } from '../lib/run.mjs'

/** The npm package that carries llama.cpp's sources as a Git bundle. */
const PACKAGE = 'node-llama-cpp'
const VERSION = '3.22.1'

const folder = inProject('.cache/llama')
const source = path.join(folder, 'source')
const build = path.join(folder, 'build')

/** Only the server, for this machine, without what would have to be downloaded or isn't used. */
const OPTIONS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DBUILD_SHARED_LIBS=OFF',
  '-DLLAMA_CURL=OFF',
  '-DLLAMA_OPENSSL=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_SERVER=ON',
  '-DLLAMA_BUILD_WEBUI=OFF',
  '-DGGML_OPENMP=OFF',
  '-DGGML_CCACHE=OFF',
]

/**
 * Paths of `llama-server` and of the chat templates that llama.cpp has for its own tests. Built once (about ten
 * minutes) and then kept.
 */
export async function ensureLlamaServer() {
  const server = path.join(folder, `llama-server-${VERSION}`)
  const templates = path.join(folder, `templates-${VERSION}`)
  if (existsSync(server) && existsSync(templates)) return { server, templates }
  await fetchSource()
  if (!existsSync(server)) {
    console.log('Building llama-server from source; this takes about ten minutes, once …')
    await runOrFail('cmake', ['-S', source, '-B', build, '-G', 'Ninja', ...OPTIONS])
    await runOrFail('cmake', ['--build', build, '--target', 'llama-server'])
    renameSync(path.join(build, 'bin/llama-server'), server)
  }
  cpSync(path.join(source, 'models/templates'), templates, { recursive: true })
  // Some 300 MB that nobody needs again.
  for (const leftover of [source, build, path.join(folder, 'package')])
    rmSync(leftover, { recursive: true, force: true })
  return { server, templates }
}

async function fetchSource() {
  if (existsSync(path.join(source, 'CMakeLists.txt'))) return
  rmSync(source, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { code, output } = await npm(['pack', `${PACKAGE}@${VERSION}`, '--silent'], {
    cwd: folder,
    quiet: true,
  })
  if (code !== 0) fail(`${PACKAGE} could not be fetched:\n${output}`)
  const tarball = `${PACKAGE}-${VERSION}.tgz`
  await runOrFail('tar', ['-xzf', tarball, 'package/llama/gitRelease.bundle'])
  await runOrFail('git', ['clone', '--quiet', 'package/llama/gitRelease.bundle', source])
  rmSync(path.join(folder, tarball))
}

async function runOrFail(command, args) {
  const { code } = await run(command, args, { cwd: folder }).catch((error) => {
    fail(`${command} does not start (${error.message}). git, tar, cmake, ninja and g++ are needed.`)
  })
  if (code !== 0) fail(`${command} ${args[0]} failed.`)
}
