import { h } from 'vue'
import DefaultTheme from 'vitepress/theme-without-fonts'
import HomePage from './home-page.vue'
import MarkdownLink from './markdown-link.vue'
import PlaygroundPage from './playground-page.vue'
import './theme.css'

// oxlint-disable-next-line import/no-default-export -- VitePress reads it.
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(MarkdownLink) }),
  enhanceApp({ app }) {
    // Layouts that pages name in their frontmatter.
    app.component('home-page', HomePage)
    app.component('playground-page', PlaygroundPage)
  },
}
