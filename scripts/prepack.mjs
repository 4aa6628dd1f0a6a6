// npm runs it before `npm pack` and `npm publish` in this folder.
import { fail } from './lib/install.mjs'

fail(
  'Not from here: the package has files that this folder has not (a manifest for each entry).\n' +
    '`npm run package` builds and packs it; its tarball is what is installed or published.',
)
