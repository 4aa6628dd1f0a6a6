import path from 'node:path'
import { build } from '../../scripts/lib/vite.mjs'
import { inProject } from '../../scripts/lib/project.mjs'
import { PUBLIC } from './generate.mjs'
import { repositoryUrl } from './repository.mjs'

/** Builds the demo into the site's files, below `demo/`. */
export function buildDemo(base) {
  return build({
    configFile: inProject('vite.demo.config.ts'),
    base: `${base}demo/`,
    logLevel: 'warn',
    plugins: [linksToSite(base)],
    build: { outDir: path.join(PUBLIC, 'demo') },
  })
}

/** Links of the demo, which is in a frame: to the site's own pages, and to the repository if it has an address. */
function linksToSite(base) {
  const docs = /href="%REPOSITORY%\/blob\/HEAD\/(docs\/[\w/-]+)\.md/g
  const code = /<a href="%REPOSITORY%">[^<]*<\/a>/g
  const withCode = (link) => (repositoryUrl() ? link.replace('<a', '<a target="_top"') : '')
  return {
    name: 'links-to-site',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html.replaceAll(docs, `target="_top" href="${base}$1.html`).replaceAll(code, withCode),
    },
  }
}
