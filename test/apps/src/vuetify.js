import 'vuetify/styles'
import { createVuetify } from 'vuetify'
import * as components from 'vuetify/components'
import { createApp, reactive } from 'vue/dist/vue.esm-bundler.js'

const state = reactive({
  text: '',
  fruit: null,
  city: null,
  on: false,
  agreed: false,
  size: null,
  volume: 10,
  tab: 'one',
  open: false,
  confirmed: false,
  picked: '',
  many: [],
})
window.state = () => JSON.parse(JSON.stringify(state))

createApp({
  setup: () => ({ state, cities: Array.from({ length: 60 }, (_, at) => `City ${at + 1}`) }),
  template: `
    <v-app><v-main>
      <v-text-field v-model="state.text" label="Name" />
      <v-select v-model="state.fruit" label="Fruit" :items="['Apple', 'Banana', 'Cherry']" />
      <v-autocomplete v-model="state.city" label="City" :items="cities" />
      <v-select v-model="state.many" label="Colours" multiple chips :items="['Red', 'Green', 'Blue']" />
      <v-switch v-model="state.on" label="Wifi" /><v-checkbox v-model="state.agreed" label="Agree" />
      <v-radio-group v-model="state.size"><v-radio label="Small" value="s" /><v-radio label="Large" value="l" /></v-radio-group>
      <v-slider v-model="state.volume" label="Volume" :min="0" :max="100" :step="1" />
      <v-tabs v-model="state.tab"><v-tab value="one">One</v-tab><v-tab value="two">Two</v-tab></v-tabs>
      <v-menu><template #activator="{ props }"><v-btn v-bind="props">Menu</v-btn></template>
        <v-list><v-list-item title="Cut" @click="state.picked = 'cut'" /><v-list-item title="Copy" @click="state.picked = 'copy'" /></v-list></v-menu>
      <v-btn @click="state.open = true">Open dialog</v-btn>
      <v-dialog v-model="state.open" max-width="300"><v-card title="Sure?"><v-btn @click="state.confirmed = true; state.open = false">Yes, do it</v-btn></v-card></v-dialog>
    </v-main></v-app>`,
})
  .use(createVuetify({ components }))
  .mount('#app')
