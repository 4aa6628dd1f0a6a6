import { defineConfig } from 'vitepress'
import { anchorsOf } from '../../scripts/lib/links.mjs'
import { manifest } from '../../scripts/lib/project.mjs'
import { apiEntries } from '../lib/api-entries.mjs'
import { introduction } from '../lib/home.mjs'
import { repositoryUrl } from '../lib/repository.mjs'
import { sections } from '../pages.mjs'

const repository = repositoryUrl()
const [sentence] = introduction()
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%232a5596'/%3E%3Ccircle cx='16' cy='16' r='8' fill='none' stroke='%23fff' stroke-width='4'/%3E%3C/svg%3E"

// oxlint-disable-next-line import/no-default-export -- VitePress reads it.
export default defineConfig({
  title: 'Offstage',
  description: sentence,
  lang: 'en',
  srcDir: '.generated',
  srcExclude: ['public/**'],
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  // Visitors of the home page download no pages that they may never open.
  router: { prefetchLinks: false },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: ICON }],
    ['meta', { name: 'theme-color', content: '#2a5596' }],
  ],
  markdown: {
    // Documents have no HTML, and what looks like it is text.
    html: false,
    linkify: false,
    attrs: { disable: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Headings have the ids that the link check knows.
    anchor: { slugify: (heading) => anchorsOf(`# ${heading}`)[0] ?? '' },
    config(md) {
      md.disable('emoji')
      showAsWritten(md)
    },
  },
  themeConfig: {
    nav: [
      { text: 'Docs', link: '/docs/getting-started', activeMatch: '^/docs/' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Playground', link: '/playground' },
      { text: 'Compare', link: '/docs/comparison' },
    ],
    sidebar: { '/api/': apiSidebar(), '/': documentsSidebar() },
    outline: { level: [2, 3] },
    notFound: { title: 'Page not found', quote: 'No page has this address.', linkText: 'Home' },
    search: { provider: 'local', options: { _render: searchedText } },
    ...(repository && {
      socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Code' }],
      editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
    }),
  },
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath.startsWith('api/') ? { frontmatter: { ...frontmatter, editLink: false } } : {},
  transformHead: ({ pageData, siteConfig }) =>
    // The playground has no Markdown.
    pageData.isNotFound || pageData.relativePath === 'playground.md'
      ? []
      : [
          [
            'link',
            {
              rel: 'alternate',
              type: 'text/markdown',
              href: `${siteConfig.site.base}${pageData.relativePath}`,
            },
          ],
        ],
})

function documentsSidebar() {
  return sections.map(({ title, pages }) => ({
    text: title,
    items: pages.map(([file, text]) => ({ text, link: `/${file}` })),
  }))
}

function apiSidebar() {
  const entries = apiEntries(manifest()).map(({ title, file }) => ({
    text: title,
    link: `/${file}`,
  }))
  return [
    {
      text: 'API reference',
      link: '/api/',
      items: [...entries, { text: 'Other types', link: '/api/other-types' }],
    },
  ]
}

/** Vue interprets nothing in a document, such as `{{date}}`. */
function showAsWritten(md) {
  const render = md.render.bind(md)
  md.render = (source, env) => `<div v-pre>${render(source, env)}</div>`
}

/** Declarations would make the search index several times as large. */
async function searchedText(source, env, md) {
  const isReference = env.relativePath.startsWith('api/')
  const html = await md.render(
    isReference ? source.replaceAll(/^```[^]*?^```$/gm, '') : source,
    env,
  )
  return env.frontmatter?.search === false ? '' : html
}
