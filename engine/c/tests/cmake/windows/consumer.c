/* Links some functions of the library, without the Vulkan loader. */
#include <multisplit.h>

#include <stdio.h>

int main(void) {
    MultisplitContext *context = NULL;
    MultisplitContextInfo info = {.struct_size = sizeof info, .version = MULTISPLIT_VERSION};
    MultisplitResult result = multisplit_context_create(&info, &context);
    printf("%s: %s\n", multisplit_version_string(), multisplit_result_name(result));
    return result == MULTISPLIT_ERROR_NULL ? 0 : 1;
}
