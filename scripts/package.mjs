// npm run package [-- folder]: builds where that is needed, and packs the package into the folder (default: this one).
import path from 'node:path'
import { fail, prepareBuild } from './lib/install.mjs'
import { packTarball } from './lib/pack.mjs'

await prepareBuild()
const folder = path.resolve(process.argv[2] ?? '.')
const tarball = await packTarball(folder).catch((error) => fail(error.message))
console.log(tarball)
