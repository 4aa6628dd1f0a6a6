// npm run package [-- folder]: builds where that is needed, and packs the package into the folder (default: this one).
import path from 'node:path'
import { fail, installDependencies, requireNode } from './lib/install.mjs'
import { packTarball } from './lib/pack.mjs'
import { inProject } from './lib/project.mjs'
import { run } from './lib/run.mjs'

requireNode()
await installDependencies()
const built = await run(process.execPath, [inProject('scripts/build.mjs'), '--if-needed'])
if (built.code !== 0) process.exit(built.code)
const folder = path.resolve(process.argv[2] ?? '.')
const tarball = await packTarball(folder).catch((error) => fail(error.message))
console.log(tarball)
