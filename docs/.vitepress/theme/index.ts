// Without the fonts of the default theme: 0.8 MB that every system has something like.
import theme from 'vitepress/theme-without-fonts';

export default theme;
